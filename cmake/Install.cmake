# SPDX-License-Identifier: Apache-2.0
#
# cmake --install: the program, the headers, a static library for each layer, and what
# find_package(fixpoint) reads. Layer `runtime` becomes fixpoint::runtime there.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

function(fixpoint_install)
  get_property(layers GLOBAL PROPERTY FIXPOINT_LAYERS)
  foreach(layer ${layers})
    set_target_properties(fixpoint_${layer} PROPERTIES EXPORT_NAME ${layer})
    install(TARGETS fixpoint_${layer} EXPORT fixpoint_layers)
  endforeach()
  install(TARGETS fixpoint)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/ DESTINATION include/fixpoint
          FILES_MATCHING PATTERN "*.h" PATTERN "*_for_tests.h" EXCLUDE PATTERN "*_fixture.h" EXCLUDE)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fixpoint)
  install(EXPORT fixpoint_layers NAMESPACE fixpoint:: DESTINATION ${package})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/fixpointConfig.cmake @ONLY CONTENT
"# Written by cmake/Install.cmake.
include(\${CMAKE_CURRENT_LIST_DIR}/Dependencies.cmake)
include(\${CMAKE_CURRENT_LIST_DIR}/fixpoint_layers.cmake)
")
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/fixpointConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/fixpointConfig.cmake
                ${CMAKE_BINARY_DIR}/fixpointConfigVersion.cmake
                ${CMAKE_SOURCE_DIR}/cmake/Dependencies.cmake DESTINATION ${package})
endfunction()
