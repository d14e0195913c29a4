package protocol

import "strings"

// A Kind says as what the values of a column come.
type Kind string

// The kinds of columns.
const (
	Integer  Kind = "integer"
	Float    Kind = "float"
	Decimal  Kind = "decimal"
	Date     Kind = "date"
	DateTime Kind = "datetime"
	Time     Kind = "time"
	Text     Kind = "text"
	Bytes    Kind = "bytes"
)

var kinds = map[string]Kind{
	"tinyint": Integer, "smallint": Integer, "mediumint": Integer, "int": Integer, "bigint": Integer,
	"year": Integer, "float": Float, "double": Float, "decimal": Decimal,
	"date": Date, "datetime": DateTime, "timestamp": DateTime, "time": Time,
	"binary": Bytes, "varbinary": Bytes, "bit": Bytes,
	"tinyblob": Bytes, "blob": Bytes, "mediumblob": Bytes, "longblob": Bytes,
	"geometry": Bytes, "point": Bytes, "linestring": Bytes, "polygon": Bytes, "multipoint": Bytes,
	"multilinestring": Bytes, "multipolygon": Bytes, "geometrycollection": Bytes,
}

// KindOf returns the kind of a type as D has it, such as "int(10) unsigned". What is unknown is text.
func KindOf(columnType string) Kind {
	if kind, ok := kinds[TypeName(columnType)]; ok {
		return kind
	}
	return Text
}

// TypeName returns the name of a type as D has it, such as "int" of "int(10) unsigned".
func TypeName(columnType string) string {
	name := strings.ToLower(columnType)
	if end := strings.IndexAny(name, "( "); end >= 0 {
		name = name[:end]
	}
	return name
}
