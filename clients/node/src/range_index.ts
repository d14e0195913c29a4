/** The index that a range goes along: where it begins, and which rows have the same key. */
import type { Filter } from "./arguments.js";
import { ValueError } from "./errors.js";
import type { WireValue } from "./protocol/requests.js";
import { kindOf } from "./protocol/types.js";
import type { ColumnInfo, IndexInfo, Schema } from "./schema.js";
import type { Value } from "./values.js";

/** Values of one reply, or of one key, in their order. */
export type Values = readonly WireValue[];

/** Rows behind one another whose keys are the same bytes. */
export interface KeyRun {
  readonly key: WireValue[];
  rows: number;
}

/** The first word of a type, as `int` of `int(11)`. */
function wordOf(type: string): string {
  return /^[a-z0-9]*/.exec(type)?.[0] ?? "";
}

/** A key that is not above the least value of a column. NULL finds nothing where none can be. */
function least({ type, nullable }: ColumnInfo): WireValue {
  if (nullable) return null;
  const word = wordOf(type);
  if (/int$|^decimal$|^year$/.test(word)) return "-" + "9".repeat(65);
  if (word === "float") return "-3.5e38";
  if (word === "double") return "-1.7976931348623157e308";
  if (word === "time") return "-838:59:59.999999";
  const firsts: Record<string, string> = {
    uuid: "00000000-0000-0000-0000-000000000000",
    inet4: "0.0.0.0",
    inet6: "::",
    date: "0000-00-00",
    datetime: "0000-00-00 00:00:00",
    timestamp: "0000-00-00 00:00:00",
  };
  return firsts[word] ?? "";
}

/** Whether two keys are the same bytes. */
export function sameBytes(one: Values, other: Values): boolean {
  return one.length === other.length && one.every((value, place) => value === other[place]);
}

/** An index, and the columns that a range reads of it. */
export class RangeIndex {
  /** The wanted columns, and behind them those of the index. */
  readonly columns: readonly string[];
  readonly parts: readonly IndexInfo[];
  readonly #infos: readonly (ColumnInfo | undefined)[];
  readonly #places: readonly number[];

  constructor(schema: Schema, parts: readonly IndexInfo[], wanted: readonly string[]) {
    this.parts = parts;
    this.columns = [...new Set([...wanted, ...parts.map((part) => part.column)])];
    this.#infos = parts.map((part) => schema.columns.find((info) => info.column === part.column));
    this.#places = parts.map((part) => this.columns.indexOf(part.column));
  }

  /** The name of the first column. */
  get first(): string {
    return this.parts[0]?.column ?? "";
  }

  /**
   * The filter that ends a range. An index of the beginnings of a column has not the order of whole
   * values, so there it does not end the search.
   */
  end(stop: Value, reverse: boolean): Filter {
    const op = reverse === this.#descends ? "<" : ">";
    return this.parts[0]?.prefixLength == null
      ? [this.first, op, stop, "while"]
      : [this.first, op, stop];
  }

  get #descends(): boolean {
    return this.parts[0]?.direction === "D";
  }

  /** A key with which the index begins. */
  lowest(): WireValue[] {
    const [info] = this.#infos;
    if (this.#descends || info === undefined) {
      throw new ValueError("a range over an index that goes downwards needs start");
    }
    return [least(info)];
  }

  /** Whether texts that begin with control characters may sort before `lowest`, the empty text. */
  get hasLower(): boolean {
    const [key] = this.lowest();
    const [info] = this.#infos;
    return key === "" && info !== undefined && kindOf(info.type) === "text";
  }

  /** Whether values of other bytes may be the same: texts, and the zeros of DOUBLE. */
  get hasSame(): boolean {
    return this.#infos.some((info) => {
      return info === undefined || ["text", "float"].includes(kindOf(info.type));
    });
  }

  /**
   * Whether a page can begin with a row's key. The text of a column of which the index has only a
   * beginning, of a FLOAT, and of a TIMESTAMP at night, when clocks may be set back, does not tell
   * the place in the index.
   */
  canBegin(key: Values): boolean {
    return this.parts.every(({ prefixLength }, place) => {
      const word = wordOf(this.#infos[place]?.type ?? "");
      if (prefixLength !== null || word === "float") return false;
      const hour = Number(key[place]?.slice(11, 13) ?? 12);
      return word !== "timestamp" || (hour > 3 && hour < 22);
    });
  }

  /** Whether no other row can have this key. */
  isUnique(key: Values): boolean {
    return this.parts.every((part, place) => part.unique && key[place] !== null);
  }

  /** The runs from the end of a page on: as many as may have the key of the last row. */
  runs(values: Values): KeyRun[] {
    const runs: KeyRun[] = [];
    const width = this.columns.length;
    for (let row = values.length - width; row >= 0; row -= width) {
      const key = this.#key(values, row);
      const earlier = runs.at(-1);
      if (earlier !== undefined && sameBytes(earlier.key, key)) {
        earlier.rows++;
        continue;
      }
      if (earlier !== undefined && !this.hasSame) break;
      runs.push({ key, rows: 1 });
      if (this.isUnique(key)) break;
    }
    return runs;
  }

  #key(values: Values, row: number): WireValue[] {
    return this.#places.map((place) => values[row + place] ?? null);
  }
}
