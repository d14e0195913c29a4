# SPDX-License-Identifier: GPL-2.0-only
# How the library for a server is built of an adapter and of what all adapters share.

# Each adapter compiles these with its server's headers, by what is in its folder `dialect`.
set(columns ${PROJECT_SOURCE_DIR}/src/columns)
set(in_server ${PROJECT_SOURCE_DIR}/src/in_server)
set(HS_SHARED_SOURCES
  ${columns}/expired_rows.cc ${columns}/expiry.cc ${columns}/filter.cc ${columns}/fit.cc ${columns}/fit_number.cc
  ${columns}/index_search.cc ${columns}/kinds.cc ${columns}/rows_aside.cc ${columns}/shape.cc ${columns}/sums.cc
  ${columns}/text.cc
  ${in_server}/cursor.cc ${in_server}/expired_rows.cc ${in_server}/log.cc ${in_server}/mappings.cc
  ${in_server}/purge_host.cc ${in_server}/put.cc ${in_server}/session.cc ${in_server}/status_tables.cc
  ${in_server}/write_refusal.cc)

# hs_adapter(NAME SOURCES...): hs_NAME, which is everything but the entry. hs_NAME_headers has the server's headers.
function(hs_adapter name)
  add_library(hs_${name} OBJECT ${ARGN} dialect/fit_time.cc ${HS_SHARED_SOURCES})
  set_target_properties(hs_${name} PROPERTIES CXX_EXTENSIONS ON)
  target_include_directories(hs_${name} PUBLIC dialect)
  # The server's headers are most of the work of each file, of those with REUSE_FROM, too; one version for all.
  target_compile_definitions(hs_${name}_headers INTERFACE HS_VERSION="${PROJECT_VERSION}")
  target_precompile_headers(hs_${name} PRIVATE server_headers.h)
  target_link_libraries(hs_${name} PUBLIC
    hs_${name}_headers hs_adapter hs_server hs_exec hs_net hs_base OpenSSL::SSL Threads::Threads)
endfunction()

# hs_server_library(NAME VERSION PROGRAM): the library that the loader opens in this version of the server. It carries
# the build ID of the server's program, by which the loader tells this build of the server from others of the version.
function(hs_server_library name version program)
  hs_build_id(build_id ${program})
  add_library(handlersocket2_library MODULE ${in_server}/library.cc)
  set_target_properties(handlersocket2_library PROPERTIES
    PREFIX "" OUTPUT_NAME handlersocket2-${version} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    CXX_EXTENSIONS ON)
  target_compile_definitions(handlersocket2_library PRIVATE HS_SERVER_BUILD_ID="${build_id}")
  target_link_libraries(handlersocket2_library PRIVATE hs_${name})
  target_precompile_headers(handlersocket2_library REUSE_FROM hs_${name})
  # Only the library's one symbol is seen from outside: one of the standard library's that is unique in the
  # process would keep the file loaded for good. Every symbol is found at load or not at all. The loader
  # compares the build ID.
  set(symbols ${PROJECT_SOURCE_DIR}/src/seam/library.map)
  target_link_options(handlersocket2_library PRIVATE
    -Wl,--version-script=${symbols} -Wl,-z,now -Wl,--build-id)
  set_property(TARGET handlersocket2_library PROPERTY LINK_DEPENDS ${symbols})
  install(TARGETS handlersocket2_library LIBRARY DESTINATION ${HS_PLUGIN_DIR})
endfunction()
