# SPDX-License-Identifier: Apache-2.0
#
# Installs what was built to a scratch directory, builds the example there as a project of its own
# and runs it. Run by ctest: cmake -D BUILD=… -D SOURCE=… -D CXX=… -D FLAGS=… -P install_test.cmake
set(scratch ${BUILD}/install_test)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE status OUTPUT_VARIABLE out
                  ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nended with ${status}:\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${scratch})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/prefix)
# A copy, so that nothing of this tree but what was installed can be found.
file(COPY ${SOURCE}/examples/greeting DESTINATION ${scratch})
run(${CMAKE_COMMAND} -S ${scratch}/greeting -B ${scratch}/build -G Ninja
    -D CMAKE_PREFIX_PATH=${scratch}/prefix -D CMAKE_BUILD_TYPE=${BUILD_TYPE}
    -D CMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${FLAGS} -Wall -Wextra -Werror")
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/greeting-operator manifests)
if(NOT output MATCHES "name: greetings.example.fixpoint.dev")
  message(FATAL_ERROR "the program built outside prints no CRD:\n${output}")
endif()
run(${scratch}/prefix/bin/fixpoint version)
file(GLOB_RECURSE installed ${scratch}/prefix/lib/cmake/*)
foreach(file ${installed})
  file(READ ${file} text)
  if(text MATCHES "${SOURCE}")
    message(FATAL_ERROR "${file} names the tree it was built from")
  endif()
endforeach()
file(REMOVE_RECURSE ${scratch})
