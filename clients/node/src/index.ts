/** Rows of MariaDB by key, through the ports of HandlerSocket 2. */
export { Client, connect } from "./client.js";
export { Table, type Upserted } from "./table.js";
export type { TableOptions, TableSpec } from "./table_calls.js";
export { Pipeline } from "./pipeline.js";
export { Transaction, type TransactionOptions } from "./transaction.js";
export { VERSION, type Address, type Options, type RequestHook } from "./options.js";
export { parseUrl } from "./url.js";
export type * from "./arguments.js";
export type { ColumnInfo, DatabaseInfo, IndexInfo, TableInfo } from "./schema.js";
export type { Key, Read, Row, Value } from "./values.js";
export type { Reply } from "./protocol/reader.js";
export * from "./errors.js";
