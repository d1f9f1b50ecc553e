# What `cmake --install` leaves behind: program, libraries, headers, scenes, and the two ways for
# others to find them (pkg-config and find_package). Nothing in it remembers the prefix, so an
# installed tree can be moved.
include(CMakePackageConfigHelpers)

install(TARGETS plimsoll RUNTIME)
foreach(library plimsoll_core plimsoll_scene plimsoll_io plimsoll)
  install(TARGETS ${library}_shared EXPORT plimsollTargets LIBRARY)
  install(FILES ${PROJECT_BINARY_DIR}/src/lib${library}.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(DIRECTORY include/plimsoll DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/plimsoll)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(plim_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/plimsoll)
install(EXPORT plimsollTargets NAMESPACE plimsoll:: DESTINATION ${plim_cmake_dir})
configure_package_config_file(cmake/plimsollConfig.cmake.in plimsollConfig.cmake
  INSTALL_DESTINATION ${plim_cmake_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plimsollConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plimsollConfig.cmake
              ${PROJECT_BINARY_DIR}/plimsollConfigVersion.cmake
  DESTINATION ${plim_cmake_dir})

# From the folder of plimsoll.pc up to the prefix.
file(RELATIVE_PATH plim_pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" plim_pc_to_prefix ${plim_pc_to_prefix})

# plim_install_pc(NAME LIBRARY PACKAGES LIBRARIES DESCRIPTION): NAME.pc. The packages and libraries are those that
# linking the static library takes.
function(plim_install_pc name library packages libraries description)
  configure_file(cmake/library.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(plim_system_libraries "${OpenMP_C_FLAGS} -lm")
plim_install_pc(plimsoll-core plimsoll_core "" "${plim_system_libraries}"
  "Solids and fluids that push on each other: the worlds and all physics")
plim_install_pc(plimsoll-scene plimsoll_scene "yaml-0.1" "${plim_system_libraries}"
  "Plimsoll's core and its scene files")
plim_install_pc(plimsoll-io plimsoll_io "yaml-0.1, hdf5" "${plim_system_libraries}"
  "Plimsoll's core, scene files and output folders")
plim_install_pc(plimsoll plimsoll "yaml-0.1, hdf5, libpng" "-lembree3 ${plim_system_libraries}"
  "Solids and fluids that push on each other: everything")
