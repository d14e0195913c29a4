package hs

import (
	"context"
	"unicode/utf8"

	"handlersocket2.org/client/protocol"
)

// A rangeIndex is the index that a range goes along.
type rangeIndex struct {
	parts  []IndexInfo
	kinds  []columnKind
	places []int // Which column of a reply each part is.
}

// A keyRun is rows behind one another whose keys are the same bytes.
type keyRun struct {
	key  []any
	rows int
}

// RangeIndex returns the table's index, and the columns to read: those that are wanted, and its own.
func (t *Table) rangeIndex(ctx context.Context, wanted []string) (*rangeIndex, []string, error) {
	known, err := t.layout(ctx)
	if err != nil {
		return nil, nil, err
	}
	parts, err := t.indexColumns(ctx)
	if err != nil {
		return nil, nil, err
	}
	index := &rangeIndex{parts: parts}
	columns := append([]string{}, wanted...)
	for _, part := range parts {
		place := position(columns, part.Column)
		if place < 0 {
			place = len(columns)
			columns = append(columns, part.Column)
		}
		index.places = append(index.places, place)
		index.kinds = append(index.kinds, known.kinds[part.Column])
	}
	return index, columns, nil
}

// Runs returns the runs of a reply from its end on: as many as may have the key of the last row.
func (x *rangeIndex) runs(reply *protocol.Reply) []keyRun {
	var runs []keyRun
	for row := reply.Rows() - 1; row >= 0; row-- {
		key := x.key(reply, row)
		last := len(runs) - 1
		switch {
		case last < 0:
			runs = append(runs, keyRun{key, 1})
			if x.isUnique(key) {
				return runs
			}
		case equalKeys(runs[last].key, key):
			runs[last].rows++
		case !x.hasText():
			return runs
		default:
			runs = append(runs, keyRun{key, 1})
		}
	}
	return runs
}

func (x *rangeIndex) key(reply *protocol.Reply, row int) []any {
	key := make([]any, len(x.places))
	for i, place := range x.places {
		if value := reply.Values[row*reply.Columns+place]; value != nil {
			key[i] = indexed(x.parts[i], value)
		}
	}
	return key
}

func (x *rangeIndex) isUnique(key []any) bool {
	for i, part := range x.parts {
		if !part.Unique || key[i] == nil || part.PrefixLength != nil {
			return false
		}
	}
	return true
}

func (x *rangeIndex) hasText() bool {
	for i := range x.parts {
		if x.kinds[i].kind == protocol.Text {
			return true
		}
	}
	return false
}

// Equal tells whether two keys stand at the same place of the index. Text may be the same with other bytes;
// then the server knows. It cannot compare the beginnings of columns.
func (x *rangeIndex) equal(ctx context.Context, t *Table, a, b []any) (bool, error) {
	if equalKeys(a, b) || !x.hasText() {
		return equalKeys(a, b), nil
	}
	q := &query{op: "=", limit: 1}
	for i, part := range x.parts {
		if part.PrefixLength != nil {
			return false, nil
		}
		q.filters = append(q.filters, filter{"F", part.Column, "=", b[i]})
	}
	rows, err := run(ctx, t.on, countPlan(t, "range", q, Key(a)))
	return rows > 0, err
}

// Indexed returns what the index has of a value: all, or its first characters.
func indexed(part IndexInfo, value []byte) string {
	text := string(value)
	if part.PrefixLength == nil {
		return text
	}
	end := 0
	for i := 0; i < *part.PrefixLength && end < len(text); i++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end]
}

func equalKeys(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Lowest returns a key with which the index begins. A NULL sorts first, but finds nothing where there can
// be none. The empty text sorts before all but control characters.
func (x *rangeIndex) lowest() ([]any, error) {
	part, column := x.parts[0], x.kinds[0]
	if part.Direction != nil && *part.Direction == "D" {
		return nil, &ValueError{What: "a range over an index that goes downwards needs its beginning"}
	}
	if column.nullable {
		return []any{nil}, nil
	}
	switch column.kind {
	case protocol.Integer, protocol.Float, protocol.Decimal:
		return []any{"-1e309"}, nil
	case protocol.Time:
		return []any{"-838:59:59.999999"}, nil
	}
	return []any{""}, nil
}
