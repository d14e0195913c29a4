package hs

import (
	"context"

	"handlersocket2.org/client/v2/protocol"
)

// A RangeOption adds to a range.
type RangeOption func(*rangeQuery)

type rangeQuery struct {
	start, stop       any
	hasStart, hasStop bool
	reverse           bool
	page              int
	query             query
}

// From is the key with which a range begins; without it, it begins with the first row.
func From(key any) RangeOption { return func(r *rangeQuery) { r.start, r.hasStart = key, true } }

// To is the first value of the index's first column that is not wanted any more.
func To(value any) RangeOption { return func(r *rangeQuery) { r.stop, r.hasStop = value, true } }

// Reverse makes a range go downwards. It needs From.
func Reverse() RangeOption { return func(r *rangeQuery) { r.reverse = true } }

// Page is how many rows are read at once; without it, 1000.
func Page(rows int) RangeOption { return func(r *rangeQuery) { r.page = rows } }

// Filtered adds filters to a range: Where and While.
func Filtered(filters ...Option) RangeOption {
	return func(r *rangeQuery) {
		for _, add := range filters {
			add(&r.query)
		}
	}
}

// A Rows is an iterator over the rows of a range, which reads one page at a time. It is for one goroutine.
// There is nothing to close.
type Rows[T any] struct {
	ctx   context.Context
	table *Table
	rangeQuery

	shape   *shape
	index   *rangeIndex
	columns []string

	key   []any
	skip  int
	rows  []T
	next  int
	done  bool
	err   error
	ready bool
}

// Range iterates over the rows from one key to another.
//
//	rows := table.Range(ctx, hs.From(100), hs.To(200))
//	for rows.Next() {
//		fmt.Println(rows.Row())
//	}
//	err := rows.Err()
func (t *Table) Range(ctx context.Context, options ...RangeOption) *Rows[Row] {
	return Range[Row](ctx, t, options...)
}

// Range iterates over rows as T, a struct with tags hs:"column".
func Range[T any](ctx context.Context, t *Table, options ...RangeOption) *Rows[T] {
	rows := &Rows[T]{ctx: ctx, table: t, rangeQuery: rangeQuery{page: 1000}, next: -1}
	for _, set := range options {
		set(&rows.rangeQuery)
	}
	return rows
}

// Next goes to the next row, and tells whether there is one.
func (r *Rows[T]) Next() bool {
	r.next++
	for r.next >= len(r.rows) {
		if r.done || r.err != nil {
			r.rows = nil
			return false
		}
		r.next = 0
		if r.err = r.readPage(); r.err != nil {
			r.rows = nil
			return false
		}
	}
	return true
}

// Row returns the row to which Next went.
func (r *Rows[T]) Row() T { return r.rows[r.next] }

// Err returns the error with which Next ended, or nil when there were no more rows.
func (r *Rows[T]) Err() error { return r.err }

func (r *Rows[T]) prepare() (err error) {
	if r.page < 1 {
		return &ValueError{What: "a page has one row at least"}
	}
	if r.reverse && !r.hasStart {
		return &ValueError{What: "a range that goes downwards needs its beginning"}
	}
	if r.shape, err = shapeFor[T](r.ctx, r.table); err != nil {
		return err
	}
	if r.index, r.columns, err = r.table.rangeIndex(r.ctx, r.shape.names); err != nil {
		return err
	}
	r.query.op = r.op(">=")
	if r.hasStop {
		r.query.filters = append(r.query.filters, r.index.end(r.stop, r.reverse))
	}
	r.query.limit = r.page
	if r.hasStart {
		r.key = keyValues(r.start)
		return nil
	}
	r.key, err = r.index.lowest(r.ctx, r.table)
	return err
}

func (r *Rows[T]) readPage() error {
	if !r.ready {
		if err := r.prepare(); err != nil {
			return err
		}
		r.ready = true
	}
	r.query.offset = r.skip
	var runs []keyRun
	rows, err := runAlong(r.ctx, r.table, r.index, func(ctx context.Context, page *request) (decoder[[]T], error) {
		err := r.table.request(ctx, page, "range", &r.query, Key(r.key), &protocol.Find{}, r.columns)
		decode := decodersOf[T](r.shape).rows
		return func(reply *protocol.Reply) ([]T, error) {
			rows, err := decode(reply)
			if err == nil {
				runs = r.index.runs(reply)
			}
			return rows, err
		}, err
	})
	switch r.done = len(rows) < r.page; {
	case err != nil || r.done:
	case r.index.canBegin(runs[0].key):
		var given int
		given, err = r.advance(runs, len(rows))
		rows = rows[:given]
	default:
		r.skip += len(rows) // The next page begins where this one did.
	}
	r.rows = rows
	return err
}

// Advance tells where the next page begins, and returns how many rows of this one are given.
//
// The next page begins behind a key that has one row at most, and else with the rows of a key. A page ends in
// front of a key whose rows may not all be in it: the next page reads them again, so that rows which come or go
// meanwhile shift no others. Only of a key with more rows than a page has, the rows that were given are
// skipped by their number.
func (r *Rows[T]) advance(runs []keyRun, count int) (int, error) {
	last := runs[0]
	if r.index.isUnique(last.key) {
		r.key, r.skip, r.query.op = last.key, 0, r.op(">")
		return count, nil
	}
	r.query.op = r.op(">=")
	same := last.rows
	for _, earlier := range runs[1:] {
		equal, err := r.index.equal(r.ctx, r.table, last.key, earlier.key)
		if err != nil {
			return 0, err
		}
		if !equal {
			break
		}
		same += earlier.rows
	}
	if same < count {
		r.key, r.skip = last.key, 0
		return count - same, nil
	}
	if r.skip > 0 {
		again, err := r.index.equal(r.ctx, r.table, last.key, r.key)
		if err != nil {
			return 0, err
		}
		if !again {
			r.skip = 0
		}
	}
	r.key, r.skip = last.key, r.skip+same
	return count, nil
}

// Op returns an operator for the direction of the range.
func (r *Rows[T]) op(upwards string) string {
	if r.reverse {
		return "<" + upwards[1:]
	}
	return upwards
}
