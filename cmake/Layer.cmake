# SPDX-License-Identifier: Apache-2.0
#
# fixpoint_layer(name USES layers… LIBRARIES deps…): src/name/*.cc becomes the static library
# fixpoint_name; its *_test.cc become the program name_test in the unit ring. A layer sees only the
# include paths and symbols of the layers it USES, so a forbidden dependency does not link.
include(GoogleTest)

# Third-party libraries stay private to the layer that wraps them: no header of ours needs theirs.
function(fixpoint_layer name)
  cmake_parse_arguments(ARG "" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER all EXCLUDE REGEX "_test\\.cc$")
  if(NOT all)
    add_library(fixpoint_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(fixpoint_${name} STATIC ${all})
    set(scope PUBLIC)
    foreach(library ${ARG_LIBRARIES})
      target_link_libraries(fixpoint_${name} PRIVATE dep::${library})
    endforeach()
  endif()
  target_include_directories(fixpoint_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(fixpoint_${name} ${scope} Threads::Threads)
  foreach(layer ${ARG_USES})
    target_link_libraries(fixpoint_${name} ${scope} fixpoint_${layer})
  endforeach()
  if(tests)
    fixpoint_test(${name}_test RING unit SOURCES ${tests} USES ${name})
  endif()
endfunction()

# One test program; every TEST in it is a ctest test with the ring as its label.
function(fixpoint_test name)
  cmake_parse_arguments(ARG "" "RING" "SOURCES;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock GTest::gtest_main)
  foreach(layer ${ARG_USES})
    target_link_libraries(${name} PRIVATE fixpoint_${layer})
  endforeach()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS ${ARG_RING} TIMEOUT 300)
endfunction()

# The shipped program, left at the top of the build directory.
function(fixpoint_program name)
  cmake_parse_arguments(ARG "" "FOLDER" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${ARG_FOLDER}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  foreach(layer ${ARG_USES})
    target_link_libraries(${name} PRIVATE fixpoint_${layer})
  endforeach()
  target_link_libraries(${name} PRIVATE dep::fmt)
endfunction()
