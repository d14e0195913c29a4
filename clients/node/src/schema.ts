/** What the server tells of tables by `D`, kept for as long as it holds. */
import type { Call, TablePlace } from "./connection.js";
import { textOf } from "./protocol/bytes.js";
import * as requests from "./protocol/requests.js";
import { rawDecoder, decoderOf, RowReader, type Decoder } from "./values.js";
import { NotFoundError, UnsupportedError } from "./errors.js";
import { hasRows, type Reply } from "./protocol/reader.js";

/** A database. */
export interface DatabaseInfo {
  database: string;
}

/** A table. */
export interface TableInfo {
  table: string;
  comment: string;
}

/** A column, as `information_schema.COLUMNS` has it. */
export interface ColumnInfo {
  column: string;
  type: string;
  nullable: boolean;
  /** `PRI`, `UNI`, `MUL` or nothing. */
  key: string;
  /** An expression of SQL. */
  default: string | null;
  extra: string;
  characterSet: string | null;
  comment: string;
}

/** One column of one index. */
export interface IndexInfo {
  index: string;
  /** Counts from 1. */
  position: number;
  column: string;
  unique: boolean;
  /** `A`, `D`, or null for an index without an order. */
  direction: string | null;
  prefixLength: number | null;
}

function described<T>(
  width: number,
  line: () => string,
  read: (...row: (string | null)[]) => T,
  table?: TablePlace,
): Call<T[]> {
  return {
    kind: "describe",
    table,
    changes: false,
    feature: "describe",
    line,
    check: hasRows(width),
    read: (reply: Reply) => {
      const rows: T[] = [];
      for (let first = 0; first < reply.values.length; first += reply.columns) {
        const row = reply.values.slice(first, first + reply.columns);
        rows.push(read(...row.map((value) => (value === null ? null : textOf(value)))));
      }
      return rows;
    },
  };
}

/** Asks for the databases. */
export function databases(): Call<DatabaseInfo[]> {
  return described(
    1,
    () => requests.describe(),
    (database) => ({ database: database ?? "" }),
  );
}

/** Asks for the tables of a database. */
export function tables(database: string): Call<TableInfo[]> {
  return described(
    2,
    () => requests.describe(database),
    (table, comment) => ({ table: table ?? "", comment: comment ?? "" }),
  );
}

/** Asks for the columns of a table. */
export function columns(database: string, table: string): Call<ColumnInfo[]> {
  return described(
    8,
    () => requests.describe(database, table),
    (column, type, nullable, key, standard, extra, characterSet, comment) => ({
      column: column ?? "",
      type: type ?? "",
      nullable: nullable === "YES",
      key: key ?? "",
      default: standard ?? null,
      extra: extra ?? "",
      characterSet: characterSet ?? null,
      comment: comment ?? "",
    }),
    { database, table },
  );
}

/** Asks for the indexes of a table. */
export function indexes(database: string, table: string): Call<IndexInfo[]> {
  return described(
    6,
    () => requests.describe(database, table, true),
    (index, position, column, unique, direction, prefix) => ({
      index: index ?? "",
      position: Number(position),
      column: column ?? "",
      unique: unique === "1",
      direction: direction ?? null,
      prefixLength: prefix == null ? null : Number(prefix),
    }),
    { database, table },
  );
}

/** The columns of one index, in their order. */
export function partsOf(infos: readonly IndexInfo[], index: string): IndexInfo[] {
  return infos.filter((info) => info.index === (index === "" ? "PRIMARY" : index));
}

/** The columns of a table with their types. */
export class Schema {
  readonly columns: readonly ColumnInfo[];
  readonly names: readonly string[];
  readonly #decoders = new Map<string, Decoder>();
  readonly #readers = new Map<string, RowReader>();

  constructor(columnInfos: readonly ColumnInfo[], bigint: boolean) {
    this.columns = columnInfos;
    this.names = columnInfos.map((info) => info.column);
    for (const { column, type } of columnInfos) {
      this.#decoders.set(column, decoderOf(type, bigint));
    }
  }

  /** Whether it has these columns, or rows of them were read already. */
  has(names: readonly string[]): boolean {
    return names.every((name) => this.#decoders.has(name)) || this.#readers.has(names.join(","));
  }

  /** Reads rows of these columns. */
  reader(names: readonly string[]): RowReader {
    const key = names.join(",");
    let reader = this.#readers.get(key);
    if (reader === undefined) {
      const decoders = names.map((name) => this.#decoders.get(name) ?? textOf);
      reader = new RowReader(names, decoders);
      this.#readers.set(key, reader);
    }
    return reader;
  }
}

/** Reads rows whose values are the bytes as they came. */
export function rawReader(names: readonly string[]): RowReader {
  return new RowReader(
    names,
    names.map(() => rawDecoder),
  );
}

/** A text that tells a table from all others: no name has a TAB. */
function keyOf({ database, table }: TablePlace): string {
  return `${database}\t${table}`;
}

/** Everything that has been learned about tables, until one turns out to have changed. */
export class Schemas {
  readonly #run: <T>(call: Call<T>) => Promise<T>;
  readonly #bigint: boolean;
  readonly #known = new Map<string, Schema>();
  readonly #asked = new Map<string, Promise<Schema>>();
  readonly #indexes = new Map<string, Promise<IndexInfo[]>>();

  constructor(run: <T>(call: Call<T>) => Promise<T>, bigint: boolean) {
    this.#run = run;
    this.#bigint = bigint;
  }

  /**
   * The table's columns, at once when they are known. A server that cannot tell gives none, and all
   * values are text. When one of the wanted columns is not known it is asked again: it may have been added.
   */
  of(database: string, table: string, wanted: readonly string[] = []): Schema | Promise<Schema> {
    const key = keyOf({ database, table });
    const known = this.#known.get(key);
    if (known?.has(wanted) === true) return known;
    const waiting = this.#asked.get(key);
    if (waiting !== undefined) return waiting;
    const asked = this.#run(columns(database, table))
      .then((infos) => {
        const schema = new Schema(infos, this.#bigint);
        this.#known.set(key, schema);
        return schema;
      })
      .catch((error: unknown) => {
        if (!(error instanceof UnsupportedError)) throw error;
        return new Schema([], false);
      })
      .finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
    return asked;
  }

  /** The columns of one index of a table, in their order. */
  async index(database: string, table: string, name: string): Promise<IndexInfo[]> {
    const key = keyOf({ database, table });
    let asked = this.#indexes.get(key);
    if (asked === undefined) {
      asked = this.#run(indexes(database, table));
      this.#indexes.set(key, asked);
      asked.catch(() => this.#indexes.delete(key));
    }
    const wanted = partsOf(await asked, name);
    if (wanted.length === 0) throw new NotFoundError(2, "idxnum");
    return wanted;
  }

  /** Forgets a table. */
  forget(table: TablePlace): void {
    const key = keyOf(table);
    this.#known.delete(key);
    this.#indexes.delete(key);
  }
}
