/** What a column's type, as `D` tells it, means for its values. */

/** How the values of a column are read. */
export type Kind =
  "integer" | "float" | "decimal" | "date" | "datetime" | "time" | "text" | "bytes";

const kinds = new Map<string, Kind>();
const words: Record<Kind, string> = {
  integer: "tinyint smallint mediumint int integer bigint year",
  float: "float double real",
  decimal: "decimal numeric",
  date: "date",
  datetime: "datetime timestamp",
  time: "time",
  text: "char varchar tinytext text mediumtext longtext enum set json uuid inet4 inet6",
  bytes:
    "binary varbinary tinyblob blob mediumblob longblob bit geometry point linestring polygon " +
    "multipoint multilinestring multipolygon geometrycollection",
};
for (const kind of Object.keys(words) as Kind[]) {
  for (const word of words[kind].split(" ")) kinds.set(word, kind);
}

/** The kind of a type such as `int(11) unsigned`; one that is not known is text. */
export function kindOf(type: string): Kind {
  return kinds.get(/^[a-z]*/i.exec(type)?.[0].toLowerCase() ?? "") ?? "text";
}
