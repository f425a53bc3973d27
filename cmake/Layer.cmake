# SPDX-License-Identifier: Apache-2.0
#
# fixpoint_layer(name [CALM] USES layers… LIBRARIES deps…): src/name/**.cc becomes the static library
# fixpoint_name; its *_test.cc become the program name_test in the unit ring. A layer links only the
# layers it USES, so code that reaches past them does not link. A file called main.cc stays out: it
# belongs to the program.
include(GoogleTest)
include(cmake/Pch.cmake)
include(cmake/Batch.cmake)

# Third-party libraries stay private to the layer that wraps them: no header of ours needs theirs.
function(fixpoint_layer name)
  cmake_parse_arguments(ARG "CALM" "" "USES;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER all EXCLUDE REGEX "(_test|/main)\\.cc$")
  if(NOT all)
    add_library(fixpoint_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    fixpoint_batch(sources fixpoint_${name} ${all})
    add_library(fixpoint_${name} STATIC ${sources})
    set(scope PUBLIC)
    fixpoint_code(fixpoint_${name} ${ARG_CALM})
    foreach(library ${ARG_LIBRARIES})
      target_link_libraries(fixpoint_${name} PRIVATE dep::${library})
    endforeach()
  endif()
  target_include_directories(fixpoint_${name} ${scope} $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>
                                              $<INSTALL_INTERFACE:include/fixpoint>)
  set_property(GLOBAL APPEND PROPERTY FIXPOINT_LAYERS ${name})
  target_link_libraries(fixpoint_${name} ${scope} Threads::Threads)
  foreach(layer ${ARG_USES})
    target_link_libraries(fixpoint_${name} ${scope} fixpoint_${layer})
  endforeach()
  if(tests)
    fixpoint_test(${name}_test RING unit SOURCES ${tests} USES ${name})
  endif()
endfunction()

# What the code of a target is compiled with; a calm one is not optimised under a sanitizer.
function(fixpoint_code target calm)
  if(calm AND FIXPOINT_SANITIZE AND NOT FIXPOINT_FUZZ)
    target_compile_options(${target} PRIVATE ${FIXPOINT_CALM_OPTIONS})
    fixpoint_reuse_pch(${target} calm)
  else()
    fixpoint_reuse_pch(${target} code)
  endif()
endfunction()

# ring_NAME builds what the tests with that label run: a preset that runs two rings need not compile
# the rest.
foreach(ring unit integration model kube)
  add_custom_target(ring_${ring})
endforeach()

# One test program; every TEST in it is a ctest test with the ring as its label. Tests run at the top
# of the source tree (so "tests/testdata/…" opens) and find the shipped program in FIXPOINT_BINARY.
function(fixpoint_test name)
  cmake_parse_arguments(ARG "" "RING;SECONDS" "SOURCES;USES" ${ARGN})
  if(NOT ARG_SECONDS)
    set(ARG_SECONDS 300)
  endif()
  fixpoint_batch(sources ${name} ${ARG_SOURCES})
  add_executable(${name} ${sources})
  add_dependencies(ring_${ARG_RING} ${name})
  fixpoint_reuse_pch(${name} tests)
  target_compile_options(${name} PRIVATE ${FIXPOINT_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gmock GTest::gtest_main dep::fmt)
  foreach(layer ${ARG_USES})
    target_link_libraries(${name} PRIVATE fixpoint_${layer})
  endforeach()
  # The longest begin first, or one of them is left alone at the end.
  set(cost_in_model 20)
  set(cost_in_integration 10)
  set(cost_in_unit 0)
  set(cost_in_kube 0)
  # What measures itself against a real cluster wants the machine to itself.
  set(alone FALSE)
  if(ARG_RING STREQUAL kube)
    set(alone TRUE)
  endif()
  set(label ${ARG_RING})
  set(environment FIXPOINT_BINARY=${CMAKE_BINARY_DIR}/fixpoint)
  if(FIXPOINT_SANITIZE AND ARG_RING STREQUAL unit)
    fixpoint_test_parts(${name} ${ARG_SECONDS} ${environment})
    set(label single)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
                       PROPERTIES LABELS ${label} TIMEOUT ${ARG_SECONDS} RUN_SERIAL ${alone}
                                  COST ${cost_in_${ARG_RING}} ENVIRONMENT ${environment})
endfunction()

# A process of its own for each test costs more under a sanitizer than most tests do: there the unit
# ring is each program in four parts, and its tests one by one (`single`) are for who picks some.
function(fixpoint_test_parts name seconds environment)
  foreach(part RANGE 3)
    add_test(NAME ${name}.${part} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name}.${part} PROPERTIES LABELS unit TIMEOUT ${seconds} COST 5
      ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()

# The shipped program. It has an allocator of its own (docs/decisions/0010-allocator.md); under a
# sanitizer that is the sanitizer's.
function(fixpoint_program name)
  cmake_parse_arguments(ARG "" "MAIN" "USES" ${ARGN})
  add_executable(${name} ${ARG_MAIN})
  fixpoint_reuse_pch(${name} code)
  foreach(layer ${ARG_USES})
    target_link_libraries(${name} PRIVATE fixpoint_${layer})
  endforeach()
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  if(NOT FIXPOINT_SANITIZE AND NOT FIXPOINT_FUZZ)
    find_library(JEMALLOC_LIBRARY NAMES jemalloc REQUIRED)
    target_link_libraries(${name} PRIVATE ${JEMALLOC_LIBRARY})
  endif()
endfunction()
