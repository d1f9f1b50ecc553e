# The viewer: its page (viewer/, three.js by npm, bundled by esbuild) and its server (civetweb), both parts of the
# program. What is missing leaves its part out: `plimsoll view` says what to install, and all else builds as ever.
set(viewer_folder ${PROJECT_SOURCE_DIR}/viewer)
set(viewer_build ${PROJECT_BINARY_DIR}/viewer)

# ---- the server ----
find_package(Threads QUIET)
find_path(civetweb_INCLUDE civetweb.h)
find_library(civetweb_LIBRARY civetweb)
if(civetweb_INCLUDE AND civetweb_LIBRARY AND Threads_FOUND)
  target_sources(plimsoll PRIVATE view/server.c view/routes.c view/run_control.c)
  target_compile_definitions(plimsoll PRIVATE PLIM_VIEW_SERVER)
  target_include_directories(plimsoll SYSTEM PRIVATE ${civetweb_INCLUDE})
  target_link_libraries(plimsoll PRIVATE ${civetweb_LIBRARY} Threads::Threads)
  set(viewer_server ON)
endif()

# ---- three.js, as the lock file has it, into the build folder ----
find_program(NPM npm)
find_program(ESBUILD esbuild)
set(viewer_lock ${viewer_folder}/package-lock.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer_folder}/package.json ${viewer_lock})
if(NPM AND ESBUILD)
  file(SHA256 ${viewer_lock} lock_hash)
  set(stamp ${viewer_build}/installed-${lock_hash})
  if(NOT EXISTS ${stamp})
    file(MAKE_DIRECTORY ${viewer_build})
    file(COPY ${viewer_folder}/package.json ${viewer_lock} ${viewer_folder}/.npmrc DESTINATION ${viewer_build})
    execute_process(COMMAND ${NPM} ci --ignore-scripts --prefer-offline --no-audit --no-fund
                    WORKING_DIRECTORY ${viewer_build} RESULT_VARIABLE npm_result
                    OUTPUT_QUIET ERROR_QUIET TIMEOUT 120)
    if(npm_result EQUAL 0)
      file(TOUCH ${stamp})
    endif()
  endif()
  if(EXISTS ${stamp})
    configure_file(${viewer_build}/node_modules/three/LICENSE ${viewer_build}/three-license.txt COPYONLY)
    set(viewer_page ON)
  endif()
endif()

# ---- the page, as C arrays ----
if(viewer_page)
  file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS ${viewer_folder}/src/* ${viewer_folder}/page/*)
  set(bundle ${viewer_build}/viewer.js)
  set(style ${viewer_build}/viewer.css)
  set(arrays ${viewer_build}/viewer_arrays.c)
  add_custom_command(
    OUTPUT ${arrays}
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${viewer_build}/node_modules ${ESBUILD} ${viewer_folder}/src/main.js
            --bundle --minify --format=iife --target=es2022 --charset=utf8 --legal-comments=inline
            --log-level=warning --alias:three-license=${viewer_build}/three-license.txt --outfile=${bundle}
    COMMAND ${ESBUILD} ${viewer_folder}/page/style.css --minify --charset=utf8 --log-level=warning --outfile=${style}
    COMMAND ${CMAKE_COMMAND} -DOUT=${arrays} -DBODY=${viewer_folder}/page/body.html -DSTYLE=${style}
            -DSCRIPT=${bundle} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${viewer_sources} ${viewer_lock} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake ${viewer_build}/three-license.txt
    COMMENT "Bundling the viewer's page" VERBATIM)
  target_sources(plimsoll PRIVATE ${arrays})
  target_compile_definitions(plimsoll PRIVATE PLIM_VIEW_PAGE)
  install(FILES ${viewer_build}/three-license.txt DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

# Said once, and again only after something has changed.
set(viewer_state "server ${viewer_server}, page ${viewer_page}")
if(NOT (viewer_server AND viewer_page) AND NOT viewer_state STREQUAL "${PLIM_VIEWER_STATE}")
  message(STATUS "`plimsoll view` is left out of this build: it needs libcivetweb-dev, npm, esbuild and a way to the "
                 "npm registry (scripts/setup installs the first three)")
endif()
set(PLIM_VIEWER_STATE "${viewer_state}" CACHE INTERNAL "What of the viewer there is")
