# SPDX-License-Identifier: Apache-2.0
#
# Two precompiled headers for the whole tree: `code` for the layers, `tests` for the test programs.
# Every target reuses one of them, so each is compiled once. They hold only what nearly every file
# includes; a file still includes what it uses (the clang preset builds without them and checks).
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
endfunction()

if(FIXPOINT_PCH)
  fixpoint_pch(code ${FIXPOINT_PCH_CODE})
  fixpoint_pch(tests ${FIXPOINT_PCH_TESTS})
  # Its macros must be those of the targets that reuse it.
  target_link_libraries(fixpoint_pch_tests PRIVATE GTest::gtest GTest::gmock)
endif()

# fixpoint_reuse_pch(target code|tests)
function(fixpoint_reuse_pch target name)
  if(FIXPOINT_PCH)
    target_precompile_headers(${target} REUSE_FROM fixpoint_pch_${name})
  endif()
endfunction()
