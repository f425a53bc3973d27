# SPDX-License-Identifier: Apache-2.0
#
# Compiler, linker, cache and warnings.
#
# A second clone compiles nothing: ccache rewrites every path below the source tree to one relative
# to the build directory, and the prefix maps make what the compiler writes into objects
# independent of where the clone lies. docs/decisions/0004-build-speed.md has the measurements.
option(FIXPOINT_WERROR "Warnings are errors" ON)
option(FIXPOINT_PCH "Precompile the standard library's and the test framework's headers" ON)
option(FIXPOINT_FUZZ "Instrument everything for libFuzzer (clang only)" OFF)
set(FIXPOINT_SANITIZE "" CACHE STRING "address | thread | empty")

# include_file_*time: a fresh clone's headers are younger than the cache thinks safe; contents are
# hashed anyway. pch_defines: our precompiled headers do not depend on macros set before them.
# The inode cache spares hashing the 100 MB of a precompiled header for every file.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_MAXSIZE=10G CCACHE_INODECACHE=true CCACHE_PCH_EXTSUM=true ${CCACHE_PROGRAM})
endif()

# -O3 compiles a sixth longer; FP_CHECK stays on in release builds.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
  # First, or mold takes the inline functions of the standard library that other shared libraries
  # lack from whatever member of our archives has them: an operator would hold the whole API server.
  if(NOT FIXPOINT_SANITIZE AND NOT FIXPOINT_FUZZ)
    add_link_options(-lstdc++)
  endif()
endif()

# Later maps win: first the tree, then the build directory inside it, then the relative spelling
# that ccache hands on. Debug info and __FILE__ say "src/base/error.cc" in every clone.
file(RELATIVE_PATH to_source ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
# A designated initialiser leaves members out on purpose.
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor
                    -Wno-missing-field-initializers -fdiagnostics-color=always
                    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=
                    -ffile-prefix-map=${CMAKE_BINARY_DIR}=.
                    -ffile-prefix-map=${to_source}=)
if(FIXPOINT_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What ccache needs to see through a precompiled header.
  add_compile_options(-fpch-preprocess)
  # These guess from what the optimiser made of inlined library code, and g++ 12 guesses wrong about
  # std::string and std::optional; the sanitizers know.
  add_compile_options("$<$<CONFIG:Release>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds;-Wno-maybe-uninitialized>")
else()
  # Times of headers differ in every clone; their text is what counts.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  # g++ does not count sign changes under -Wconversion; both compilers shall want the same code.
  # clang also blames us for what libstdc++'s stable_sort deprecates in itself; g++ keeps watch.
  add_compile_options(-Wno-sign-conversion -Wno-deprecated-declarations)
endif()

# What is slow is the code, not its test: unoptimised, a test compiles in half the time.
set(FIXPOINT_TEST_OPTIONS -O0)
# Layers in which tests spend no time worth the optimiser's, which is two thirds of an instrumented file's.
set(FIXPOINT_CALM_OPTIONS -O0)
if(FIXPOINT_SANITIZE)
  # What is not marked inline is not inlined: instrumented twice, it compiles a third longer.
  add_compile_options(-fno-inline-functions)
  # Lines are all that a report names; whole debug information compiles a sixth longer.
  add_compile_options(-gline-tables-only)
endif()
if(FIXPOINT_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(FIXPOINT_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
if(FIXPOINT_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
