# SPDX-License-Identifier: Apache-2.0
#
# Two precompiled headers for the whole tree: `code` for the layers, `tests` for the test programs; under
# a sanitizer a third, `calm`, for the layers that are not optimised there.
# Every target reuses one of them, so each is compiled once. They hold only what nearly every file
# includes; a file still includes what it uses (the clang preset and the lint do without and check).
set(FIXPOINT_PCH_CODE
    <algorithm> <array> <atomic> <charconv> <chrono> <compare> <cstdint> <cstdio> <cstdlib> <cstring>
    <deque> <expected> <functional> <limits> <map> <memory> <optional> <set> <source_location> <span>
    <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>
    <fmt/format.h>)
set(FIXPOINT_PCH_TESTS ${FIXPOINT_PCH_CODE} <gmock/gmock.h> <gtest/gtest.h>)

function(fixpoint_pch name)
  set(source ${CMAKE_BINARY_DIR}/pch/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Carries the precompiled header of the same name.\n")
  add_library(fixpoint_pch_${name} OBJECT ${source})
  target_precompile_headers(fixpoint_pch_${name} PRIVATE ${ARGN})
  fixpoint_sum_of_pch(${name} ${ARGN})
  # What is compiled with the header waits for this target: an object library has no such order.
  add_custom_target(fixpoint_pch_${name}_ready DEPENDS $<TARGET_OBJECTS:fixpoint_pch_${name}>)
endfunction()

# A precompiled header is not the same file in every clone (clang writes absolute paths into it, g++
# another order), and what is compiled with it must hit the cache all the same: ccache takes the hash
# beside the header, which is that of the headers' text.
function(fixpoint_sum_of_pch name)
  list(TRANSFORM ARGN PREPEND "#include " OUTPUT_VARIABLE text)
  list(JOIN text "\n" text)
  set(source ${CMAKE_BINARY_DIR}/pch/${name}.sum.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "${text}\n" @ONLY)
  execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++23 -E -P ${source}
    OUTPUT_VARIABLE preprocessed COMMAND_ERROR_IS_FATAL ANY)
  string(SHA256 sum "${CMAKE_CXX_COMPILER_VERSION} ${preprocessed}")
  set(header ${CMAKE_BINARY_DIR}/CMakeFiles/fixpoint_pch_${name}.dir/cmake_pch.hxx)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set_target_properties(fixpoint_pch_${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
    file(WRITE ${header}.pch.sum ${sum})
  else()
    file(WRITE ${header}.gch.sum ${sum})
  endif()
endfunction()

if(FIXPOINT_PCH)
  fixpoint_pch(code ${FIXPOINT_PCH_CODE})
  fixpoint_pch(tests ${FIXPOINT_PCH_TESTS})
  if(FIXPOINT_SANITIZE)
    fixpoint_pch(calm ${FIXPOINT_PCH_CODE})
    target_compile_options(fixpoint_pch_calm PRIVATE ${FIXPOINT_CALM_OPTIONS})
  endif()
  # Its macros and options must be those of the targets that reuse it.
  target_compile_options(fixpoint_pch_tests PRIVATE ${FIXPOINT_TEST_OPTIONS})
  target_link_libraries(fixpoint_pch_tests PRIVATE GTest::gtest GTest::gmock)
endif()

# fixpoint_reuse_pch(target code|tests|calm)
function(fixpoint_reuse_pch target name)
  if(NOT FIXPOINT_PCH)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # As REUSE_FROM would, with a path that is the same in every clone.
    target_compile_options(
      ${target} PRIVATE "SHELL:-include-pch CMakeFiles/fixpoint_pch_${name}.dir/cmake_pch.hxx.pch")
    add_dependencies(${target} fixpoint_pch_${name}_ready)
  else()
    target_precompile_headers(${target} REUSE_FROM fixpoint_pch_${name})
  endif()
endfunction()
