# SPDX-License-Identifier: Apache-2.0
#
# Which build this is: a small source file, rewritten only when the commit changes, so that a new
# commit recompiles nothing else. Included, it defines the target; as a script (-P) it writes the file.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_policy(VERSION 3.25)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT COMMIT)
    set(COMMIT unknown)
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"// Written by cmake/BuildInfo.cmake.
#include \"cli/build_info.h\"

const fixpoint::cli::BuildInfo fixpoint::cli::kBuildInfo{
    .version = \"@VERSION@\", .commit = \"@COMMIT@\", .compiler = \"@COMPILER@\", .build_type = \"@BUILD_TYPE@\"};
")
  return()
endif()

# fixpoint_build_info(target): compiles the file into the target.
function(fixpoint_build_info target)
  set(output ${CMAKE_BINARY_DIR}/generated/build_info.cc)
  string(TOLOWER "${CMAKE_CXX_COMPILER_ID}" compiler)
  string(REPLACE "gnu" "g++" compiler "${compiler}")
  add_custom_target(fixpoint_write_build_info BYPRODUCTS ${output} COMMENT "Looking up the commit"
    COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${CMAKE_SOURCE_DIR} -D OUTPUT=${output}
            -D VERSION=${PROJECT_VERSION} -D "COMPILER=${compiler} ${CMAKE_CXX_COMPILER_VERSION}"
            -D BUILD_TYPE=${CMAKE_BUILD_TYPE} -P ${CMAKE_SOURCE_DIR}/cmake/BuildInfo.cmake)
  target_sources(${target} PRIVATE ${output})
  add_dependencies(${target} fixpoint_write_build_info)
endfunction()
