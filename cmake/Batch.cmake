# SPDX-License-Identifier: Apache-2.0
#
# Several sources compiled as one: what they all instantiate is compiled once for all of them, which
# halves a cold build (docs/decisions/0004-build-speed.md). A batch is a generated file that includes
# its sources, so names that are local to a file must be unique among the files of a target.
#
# CMake's own unity builds write absolute paths, which no second clone would find in the cache.
set(FIXPOINT_BATCH 1 CACHE STRING "How many sources are compiled as one; 1 compiles each by itself")

if(FIXPOINT_BATCH GREATER 1)
  # Batches name their sources from the top of the tree.
  add_compile_options("SHELL:-iquote ${CMAKE_SOURCE_DIR}")
  # A class of an included file with a member of a local type: right in a header, wrong in a source.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-subobject-linkage)
  endif()
endif()

# fixpoint_batch(out target files…): what to compile instead of these sources of the target.
function(fixpoint_batch out target)
  list(LENGTH ARGN count)
  if(FIXPOINT_BATCH LESS_EQUAL 1 OR count EQUAL 1)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(includes "")
  foreach(file ${ARGN})
    get_filename_component(path ${file} ABSOLUTE)
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${path})
    list(APPEND includes "#include \"${path}\"")
  endforeach()
  set(batches "")
  foreach(begin RANGE 0 ${count} ${FIXPOINT_BATCH})
    if(begin EQUAL count)
      break()
    endif()
    list(SUBLIST includes ${begin} ${FIXPOINT_BATCH} batch)
    list(JOIN batch "\n" text)
    set(source ${CMAKE_BINARY_DIR}/batch/${target}_${begin}.cc)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Written by cmake/Batch.cmake.\n${text}\n")
    list(APPEND batches ${source})
  endforeach()
  set(${out} ${batches} PARENT_SCOPE)
endfunction()
