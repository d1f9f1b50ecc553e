# What `cmake --install` leaves behind: program, libraries, headers, scenes, and the two ways for
# others to find them (pkg-config and find_package). Nothing in it remembers the prefix, so an
# installed tree can be moved.
include(CMakePackageConfigHelpers)

install(TARGETS plimsoll RUNTIME)
install(TARGETS plimsoll_shared EXPORT plimsollTargets LIBRARY)
install(FILES ${PROJECT_BINARY_DIR}/src/libplimsoll.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
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
configure_file(cmake/plimsoll.pc.in plimsoll.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/plimsoll.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
