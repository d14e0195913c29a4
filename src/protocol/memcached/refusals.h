// Why a command cannot be what its table is for.
#pragma once

#include <string_view>

namespace hs::protocol::memcached {

inline constexpr std::string_view kNoTable =
    "SERVER_ERROR the key is of no table: name a table by its COMMENT 'hs: name=...'";
inline constexpr std::string_view kNoKey = "CLIENT_ERROR the key has too few parts for its table";
inline constexpr std::string_view kNoFlags =
    "SERVER_ERROR the table has no column for flags (flags= in its COMMENT)";
inline constexpr std::string_view kNoCas =
    "SERVER_ERROR the table has no column for versions (cas= in its COMMENT)";
inline constexpr std::string_view kNoTtl =
    "SERVER_ERROR the table has no column by which rows expire (ttl= in its COMMENT)";
inline constexpr std::string_view kNoValue = "SERVER_ERROR the table has no column for a value";
inline constexpr std::string_view kOneValue =
    "CLIENT_ERROR the value is made of several columns and can only be set as a whole";
inline constexpr std::string_view kWrongParts =
    "CLIENT_ERROR the value has not as many parts as the table has columns for it";
inline constexpr std::string_view kNotANumber =
    "CLIENT_ERROR cannot increment or decrement non-numeric value";
inline constexpr std::string_view kNoFlush =
    "SERVER_ERROR flush_all is not served: delete the rows of the table with SQL";

}  // namespace hs::protocol::memcached
