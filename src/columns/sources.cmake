# SPDX-License-Identifier: GPL-2.0-only
# Each adapter compiles these with its server's headers, which it puts in as server_dialect.h.
set(HS_COLUMNS_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/expired_rows.cc
  ${CMAKE_CURRENT_LIST_DIR}/expiry.cc
  ${CMAKE_CURRENT_LIST_DIR}/filter.cc
  ${CMAKE_CURRENT_LIST_DIR}/fit.cc
  ${CMAKE_CURRENT_LIST_DIR}/fit_number.cc
  ${CMAKE_CURRENT_LIST_DIR}/index_search.cc
  ${CMAKE_CURRENT_LIST_DIR}/rows_aside.cc
  ${CMAKE_CURRENT_LIST_DIR}/text.cc)
