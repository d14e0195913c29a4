/** How tables are named. */
import { ValueError } from "./errors.js";
import { open } from "./protocol/requests.js";
import type { Table } from "./table.js";
import type { TableOptions, TableSpec } from "./table_calls.js";

/** `database.table`, a table of the client's database, or a table of another executor. */
export type TableName = string | Table<unknown>;

/** The database and the table of a name. */
export function splitName(database: string | undefined, name: string): [string, string] {
  const dot = name.indexOf(".");
  if (dot > 0) return [name.slice(0, dot), name.slice(dot + 1)];
  if (database !== undefined && dot < 0) return [database, name];
  throw new ValueError(`the table ${JSON.stringify(name)} needs a database`);
}

/** What a name and options mean. */
export function tableSpec(
  database: string | undefined,
  table: TableName,
  options: TableOptions,
): TableSpec {
  const { columns } = options;
  if (columns !== undefined && !Array.isArray(columns)) {
    throw new ValueError("columns is a list of names");
  }
  if (columns?.length === 0) throw new ValueError("a table needs a column");
  if (typeof table !== "string") return { ...table.spec, ...options };
  const [ofTable, name] = splitName(database, table);
  // Refuses names that cannot be sent before anything is.
  open(0, ofTable, name, options.index ?? "PRIMARY", options.columns ?? []);
  return { ...options, database: ofTable, name };
}
