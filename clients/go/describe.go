package hs

import (
	"context"
	"strconv"
	"strings"

	"handlersocket2.org/client/v2/protocol"
)

// A TableInfo is what a server tells of a table.
type TableInfo struct {
	Table   string `hs:"table"`
	Comment string `hs:"comment"`
}

// A ColumnInfo is what a server tells of a column.
type ColumnInfo struct {
	Column   string `hs:"column"`
	Type     string `hs:"type"`
	Nullable bool   `hs:"nullable"`
	// Key is PRI, UNI, MUL or empty.
	Key string `hs:"key"`
	// Default is an expression of SQL; nil: a value must be given, or is generated.
	Default *string `hs:"default"`
	Extra   string  `hs:"extra"`
	// CharacterSet is nil for a column that has none.
	CharacterSet *string `hs:"character_set"`
	Comment      string  `hs:"comment"`
}

// An IndexInfo is what a server tells of one column of an index.
type IndexInfo struct {
	Index string `hs:"index"`
	// Position counts from 1.
	Position int    `hs:"position"`
	Column   string `hs:"column"`
	Unique   bool   `hs:"unique"`
	// Direction is A, D or, for an index without an order, nil.
	Direction *string `hs:"direction"`
	// PrefixLength counts characters; nil: the index has the whole column.
	PrefixLength *int `hs:"prefix_length"`
}

// Describe returns the names of the databases.
func (c *Client) Describe(ctx context.Context) ([]string, error) {
	return run(ctx, c, describe(tableName{}, false, func(v [][]byte) string { return string(v[0]) }))
}

// DescribeDatabase returns the tables of a database.
func (c *Client) DescribeDatabase(ctx context.Context, database string) ([]TableInfo, error) {
	if database == "" {
		return nil, &ValueError{What: "a database has a name"}
	}
	return run(ctx, c, describe(tableName{database: database}, false, func(v [][]byte) TableInfo {
		return TableInfo{string(v[0]), string(v[1])}
	}))
}

// DescribeTable returns the columns of a table.
func (c *Client) DescribeTable(ctx context.Context, table string) ([]ColumnInfo, error) {
	name, err := c.splitName(table)
	if err != nil {
		return nil, err
	}
	return run(ctx, c, describe(name, false, columnInfo))
}

// Indexes returns the columns of all indexes of a table.
func (c *Client) Indexes(ctx context.Context, table string) ([]IndexInfo, error) {
	name, err := c.splitName(table)
	if err != nil {
		return nil, err
	}
	return run(ctx, c, describe(name, true, indexInfo))
}

func describe[T any](table tableName, indexes bool, row func([][]byte) T) plan[[]T] {
	return func(_ context.Context, r *request) (decoder[[]T], error) {
		line, err := protocol.AppendDescribe(nil, table.database, table.name, indexes)
		if err != nil {
			return nil, err
		}
		r.kind, r.body, r.needs, r.table = "describe", trimLine(line), "describe", table
		columns := 8
		switch {
		case indexes:
			columns = 6
		case table.database == "":
			columns = 1
		case table.name == "":
			columns = 2
		}
		return func(reply *protocol.Reply) ([]T, error) {
			if reply.Columns != columns {
				return nil, unexpected("description")
			}
			rows := make([]T, 0, reply.Rows())
			for i := 0; i < reply.Len(); i += columns {
				rows = append(rows, row(reply.Values()[i:i+columns]))
			}
			return rows, nil
		}, nil
	}
}

func columnInfo(v [][]byte) ColumnInfo {
	return ColumnInfo{
		Column: string(v[0]), Type: string(v[1]), Nullable: string(v[2]) == "YES", Key: string(v[3]),
		Default: optional(v[4]), Extra: string(v[5]), CharacterSet: optional(v[6]), Comment: string(v[7]),
	}
}

func indexInfo(v [][]byte) IndexInfo {
	info := IndexInfo{
		Index: string(v[0]), Column: string(v[2]), Unique: string(v[3]) == "1", Direction: optional(v[4]),
	}
	info.Position, _ = strconv.Atoi(string(v[1]))
	if length, err := strconv.Atoi(string(v[5])); err == nil {
		info.PrefixLength = &length
	}
	return info
}

func (i *IndexInfo) descends() bool { return i.Direction != nil && *i.Direction == "D" }

func optional(value []byte) *string {
	if value == nil {
		return nil
	}
	text := string(value)
	return &text
}

// A description is what the client keeps of a table.
type description struct {
	names []string
	kinds map[string]columnKind
}

// A columnKind says as what a column's values are read.
type columnKind struct {
	kind     protocol.Kind
	name     string // The type's first word.
	unsigned bool
	nullable bool
}

// Has tells whether it was made when the table had these columns, or when one of them was asked for in vain.
func (d *description) has(names []string) bool {
	for _, name := range names {
		if _, known := d.kinds[name]; !known {
			return false
		}
	}
	return true
}

// Layout returns the columns of a table, asked for once, and again when one of the wanted ones is not
// known: it may have been added.
func (t *Table) layout(ctx context.Context, wanted []string) (*description, error) {
	layouts := &t.on.client().layouts
	if known, ok := layouts.Load(t.name); ok && known.(*description).has(wanted) {
		return known.(*description), nil
	}
	columns, err := run(ctx, t.on, describe(t.name, false, columnInfo))
	if err != nil {
		return nil, err
	}
	found := &description{kinds: map[string]columnKind{}}
	for _, name := range wanted {
		found.kinds[name] = columnKind{}
	}
	for _, column := range columns {
		found.names = append(found.names, column.Column)
		found.kinds[column.Column] = columnKind{
			protocol.KindOf(column.Type), protocol.TypeName(column.Type),
			strings.Contains(column.Type, "unsigned"), column.Nullable,
		}
	}
	layouts.Store(t.name, found)
	return found, nil
}
