package hs

import (
	"context"
	"reflect"

	"handlersocket2.org/client/v2/protocol"
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
	parts, err := t.indexColumns(ctx)
	if err != nil {
		return nil, nil, err
	}
	own := make([]string, len(parts))
	for i, part := range parts {
		own[i] = part.Column
	}
	known, err := t.layout(ctx, own)
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

// RunAlong carries out a call that is right for these columns of the index alone. In the same piece it asks
// whether the index still has them: one that was made anew under the same name has another order.
func runAlong[T any](ctx context.Context, t *Table, x *rangeIndex, call plan[T]) (result T, err error) {
	pipeline := &Pipeline{on: t.on}
	answer, told := add(pipeline, call), add(pipeline, describe(t.name, true, indexInfo))
	if err = pipeline.Run(ctx); err != nil {
		return result, err
	}
	all, err := told.Get()
	if err == nil && !reflect.DeepEqual(t.ownIndex(all), x.parts) {
		t.on.client().layouts.Delete(t.name)
		return result, newServerError(2, "idxnum")
	}
	if result, failed := answer.Get(); failed != nil {
		return result, failed
	}
	return answer.value, err
}

// End returns the filter that ends a range. An index of the beginnings of a column has not the order of whole
// values, so there it does not end the search.
func (x *rangeIndex) end(stop any, reverse bool) filter {
	kind, op, part := "W", "<", x.parts[0]
	if part.PrefixLength != nil {
		kind = "F"
	}
	if reverse != part.descends() {
		op = ">"
	}
	return filter{kind, part.Column, op, stop}
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
		case !x.hasSame():
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
		if value := reply.Values()[row*reply.Columns+place]; value != nil {
			key[i] = string(value)
		}
	}
	return key
}

func (x *rangeIndex) isUnique(key []any) bool {
	for i, part := range x.parts {
		if !part.Unique || key[i] == nil {
			return false
		}
	}
	return true
}

// CanBegin tells whether a page can begin with a row's key. The text of a column of which the index has
// only a beginning, of a FLOAT, and of a TIMESTAMP at night, when clocks may be set back, does not tell the
// place in the index.
func (x *rangeIndex) canBegin(key []any) bool {
	for i, part := range x.parts {
		if part.PrefixLength != nil || x.kinds[i].name == "float" {
			return false
		}
		text, _ := key[i].(string)
		if x.kinds[i].name == "timestamp" && len(text) > 13 && (text[11:13] < "04" || text[11:13] > "21") {
			return false
		}
	}
	return true
}

// HasSame tells whether values of other bytes may be the same: texts, and the zeros of DOUBLE.
func (x *rangeIndex) hasSame() bool {
	for _, column := range x.kinds {
		if column.kind == protocol.Text || column.kind == protocol.Float {
			return true
		}
	}
	return false
}

// Equal tells whether two keys stand at the same place of the index. Where their bytes differ the server
// knows.
func (x *rangeIndex) equal(ctx context.Context, t *Table, a, b []any) (bool, error) {
	if equalKeys(a, b) || !x.hasSame() || len(a) != len(b) {
		return equalKeys(a, b), nil
	}
	q := &query{op: "=", limit: 1}
	for i, part := range x.parts {
		q.filters = append(q.filters, filter{"F", part.Column, "=", b[i]})
	}
	rows, err := runAlong(ctx, t, x, countPlan(t, "range", q, Key(a)))
	return rows > 0, err
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

// The lowest values of types. The others begin with the empty text.
var lowest = map[string]string{
	"date": "0000-00-00", "datetime": "0000-00-00 00:00:00", "timestamp": "0000-00-00 00:00:00",
	"time": "-838:59:59.999999",
	"uuid": "00000000-0000-0000-0000-000000000000", "inet4": "0.0.0.0", "inet6": "::",
}

// Lowest returns a key with which the index begins. A NULL sorts first, but finds nothing where there can
// be none. Texts that begin with control characters may sort before the empty one: then the key is that of
// the first of them.
func (x *rangeIndex) lowest(ctx context.Context, t *Table) ([]any, error) {
	part, column := x.parts[0], x.kinds[0]
	if part.descends() {
		return nil, &ValueError{What: "a range over an index that goes downwards needs its beginning"}
	}
	if column.nullable {
		return []any{nil}, nil
	}
	switch column.kind {
	case protocol.Integer, protocol.Float, protocol.Decimal:
		return []any{"-1e309"}, nil
	}
	key, found := []any{lowest[column.name]}, column.kind == protocol.Text && lowest[column.name] == ""
	for found {
		below := &query{op: "<"}
		rows, err := runAlong(ctx, t, x, countPlan(t, "range", below, Key(key)))
		if err != nil || rows == 0 {
			return key, err
		}
		below.limit, below.offset = 1, int(rows-1)
		first, err := runAlong(ctx, t, x, func(ctx context.Context, r *request) (decoder[[]any], error) {
			columns := []string{part.Column}
			err := t.request(ctx, r, "range", below, Key(key), &protocol.Find{}, columns)
			return func(reply *protocol.Reply) ([]any, error) { return values(reply), nil }, err
		})
		if err != nil {
			return nil, err
		}
		if len(first) == 1 {
			key = first
		}
	}
	return key, nil
}

func values(reply *protocol.Reply) []any {
	made := make([]any, reply.Len())
	for i, value := range reply.Values() {
		made[i] = string(value)
	}
	return made
}
