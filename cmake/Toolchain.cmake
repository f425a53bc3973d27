# SPDX-License-Identifier: Apache-2.0
#
# Compiler, linker, cache and warnings. ccache hits across clones because every path given to the
# compiler is relative to the source tree (base_dir) and debug info is mapped the same way.
option(FIXPOINT_WERROR "Warnings are errors" ON)
set(FIXPOINT_SANITIZE "" CACHE STRING "address | thread | empty")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_MAXSIZE=10G ${CCACHE_PROGRAM})
endif()

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor
                    -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -fdiagnostics-color=always)
if(FIXPOINT_WERROR)
  add_compile_options(-Werror)
endif()

if(FIXPOINT_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(FIXPOINT_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
