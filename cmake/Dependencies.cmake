# SPDX-License-Identifier: Apache-2.0
#
# Debian packages as imported targets `dep::NAME`; tools/deps installs them. Read by the build and,
# installed beside the package's configuration, by whoever links the libraries.
find_package(Threads REQUIRED)

function(fixpoint_dependency name)
  cmake_parse_arguments(ARG "" "" "HEADER;LIBRARY" ${ARGN})
  find_library(DEP_${name}_LIBRARY NAMES ${ARG_LIBRARY} REQUIRED)
  add_library(dep::${name} INTERFACE IMPORTED)
  target_link_libraries(dep::${name} INTERFACE ${DEP_${name}_LIBRARY})
endfunction()

fixpoint_dependency(xxhash LIBRARY xxhash)
fixpoint_dependency(simdjson LIBRARY simdjson)
fixpoint_dependency(yaml LIBRARY yaml)
fixpoint_dependency(re2 LIBRARY re2)
fixpoint_dependency(lmdb LIBRARY lmdb)
fixpoint_dependency(nghttp2 LIBRARY nghttp2)
fixpoint_dependency(zlib LIBRARY z)
fixpoint_dependency(fmt LIBRARY fmt)
find_package(OpenSSL REQUIRED)
add_library(dep::openssl INTERFACE IMPORTED)
target_link_libraries(dep::openssl INTERFACE OpenSSL::SSL OpenSSL::Crypto)
