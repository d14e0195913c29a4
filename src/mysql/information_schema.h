// SPDX-License-Identifier: GPL-2.0-only
// The plugin's tables in INFORMATION_SCHEMA. Each is a plugin of its own to the server, which may
// load it without the others. While no network server runs they are empty.
#pragma once

namespace hs::mysql {

// The init functions of the plugins: each describes its table. Return 0.
int init_connections_table(void* schema_table);
int init_indexes_table(void* schema_table);
int init_latency_table(void* schema_table);
int init_latency_buckets_table(void* schema_table);
int init_ttl_table(void* schema_table);

}  // namespace hs::mysql
