/** How tables are named. */
import { ValueError } from "./errors.js";
import { open } from "./protocol/requests.js";
import { Table } from "./table.js";
import type { TableOptions, TableSpec } from "./table_calls.js";

/** `database.table`, a table of the client's database, or a table of another executor. */
export type TableName = string | Table<unknown>;

const QUOTED = "`(?:[^`]|``)+`";
const NAME = `(${QUOTED}|[^.\`][^.]*)`;
const FULL_NAME = new RegExp(`^(?:${NAME}\\.(${QUOTED}|[^\`].*)|${NAME})$`, "s");

function unquoted(name: string): string {
  return name.startsWith("`") ? name.slice(1, -1).replaceAll("``", "`") : name;
}

/** The database and the table of a name. Each may stand in backquotes, as in SQL. */
export function splitName(database: string | undefined, name: string): [string, string] {
  if (typeof (name as unknown) !== "string") throw new ValueError("a table is named by a text");
  const [, before, after, only] = FULL_NAME.exec(name) ?? [];
  if (before !== undefined && after !== undefined) return [unquoted(before), unquoted(after)];
  if (only !== undefined && database !== undefined) return [database, unquoted(only)];
  throw new ValueError(`the table ${JSON.stringify(name)} needs a database`);
}

/** What a name and options mean. */
export function tableSpec(
  database: string | undefined,
  table: TableName,
  options: TableOptions,
): TableSpec {
  if ((options as unknown) !== Object(options)) {
    throw new ValueError("the options of a table are an object");
  }
  const { columns } = options;
  if (columns !== undefined && !Array.isArray(columns)) {
    throw new ValueError("columns is a list of names");
  }
  if (columns?.length === 0) throw new ValueError("a table needs a column");
  if (table instanceof Table) return { ...table.spec, ...options };
  const [ofTable, name] = splitName(database, table);
  // Refuses names that cannot be sent before anything is.
  open(0, ofTable, name, options.index ?? "PRIMARY", options.columns ?? []);
  return { ...options, database: ofTable, name };
}
