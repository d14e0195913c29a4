// Why a command cannot be what its table is for.
#pragma once

#include "protocol/memcached/status.h"

namespace hs::protocol::memcached {

inline constexpr Refusal kNoTable{
    Status::kInternal,
    "SERVER_ERROR the key is of no table: name a table by its COMMENT 'hs: name=...'"};
inline constexpr Refusal kNoKey{Status::kInvalid,
                                "CLIENT_ERROR the key has too few parts for its table"};
inline constexpr Refusal kNoFlags{
    Status::kInternal, "SERVER_ERROR the table has no column for flags (flags= in its COMMENT)"};
inline constexpr Refusal kNoCas{
    Status::kInternal, "SERVER_ERROR the table has no column for versions (cas= in its COMMENT)"};
inline constexpr Refusal kNoTtl{
    Status::kInternal,
    "SERVER_ERROR the table has no column by which rows expire (ttl= in its COMMENT)"};
inline constexpr Refusal kNoValue{Status::kInternal,
                                  "SERVER_ERROR the table has no column for a value"};
inline constexpr Refusal kComputedValue{Status::kInternal,
                                        "SERVER_ERROR the table's value is computed"};
inline constexpr Refusal kOneValue{
    Status::kInvalid,
    "CLIENT_ERROR the value is made of several columns and can only be set as a whole"};
inline constexpr Refusal kWrongParts{
    Status::kInvalid,
    "CLIENT_ERROR the value has not as many parts as the table has columns for it"};
inline constexpr Refusal kNotANumber{
    Status::kNotANumber, "CLIENT_ERROR cannot increment or decrement non-numeric value"};
inline constexpr Refusal kNoFlush{
    Status::kNotSupported,
    "SERVER_ERROR flush_all is not served: delete the rows of the table with SQL"};
inline constexpr Refusal kUnauthenticated{Status::kAuthError, "CLIENT_ERROR unauthenticated"};

}  // namespace hs::protocol::memcached
