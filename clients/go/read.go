package hs

import (
	"context"
	"strconv"

	"handlersocket2.org/client/v2/protocol"
)

// Get returns the row with this key, or nil when there is none.
func (t *Table) Get(ctx context.Context, key any) (Row, error) {
	return run(ctx, t.on, rowPlan(t, key))
}

// Get returns the row with this key as a T, a struct with tags hs:"column", or nil when there is none. The
// columns are those of the struct, when the table was named without any.
func Get[T any](ctx context.Context, t *Table, key any) (*T, error) {
	return run(ctx, t.on, getPlan[T](t, key))
}

// GetMany returns a row, or nil, for each key, in the order of the keys.
func (t *Table) GetMany(ctx context.Context, keys []any) ([]Row, error) {
	rows := make([]Row, len(keys))
	return rows, getMany(ctx, t, keys, func(i int, found []Row) {
		if len(found) > 0 {
			rows[i] = found[0]
		}
	})
}

// GetMany returns a T, or nil, for each key, in the order of the keys.
func GetMany[T any](ctx context.Context, t *Table, keys []any) ([]*T, error) {
	rows := make([]*T, len(keys))
	return rows, getMany(ctx, t, keys, func(i int, found []T) {
		if len(found) > 0 {
			rows[i] = &found[0]
		}
	})
}

func getMany[T any](ctx context.Context, t *Table, keys []any, keep func(i int, found []T)) error {
	pipeline := &Pipeline{on: t.on}
	results := make([]*Result[[]T], len(keys))
	for i, key := range keys {
		results[i] = add(pipeline, findPlan[T](t, "get_many", byKey, key))
	}
	if err := pipeline.Run(ctx); err != nil {
		return err
	}
	for i, result := range results {
		found, err := result.Get()
		if err != nil {
			return err
		}
		keep(i, found)
	}
	return nil
}

// Find returns the rows whose index compares with the key: = =< > >= < <=. The limit is one row, if none
// is given.
func (t *Table) Find(ctx context.Context, op string, key any, options ...Option) ([]Row, error) {
	return Find[Row](ctx, t, op, key, options...)
}

// Find returns rows as a T, a struct with tags hs:"column".
func Find[T any](
	ctx context.Context, t *Table, op string, key any, options ...Option,
) ([]T, error) {
	return run(ctx, t.on, findPlan[T](t, "find", newQuery(op, 1, options), key))
}

// FindAll returns the rows of each of the values, which take the place of that column's value in the key.
// Limit, offset and While are for each value; the limit is one row, if none is given.
func (t *Table) FindAll(
	ctx context.Context, op string, key any, column string, values []any, options ...Option,
) ([]Row, error) {
	return run(ctx, t.on, findPlan[Row](t, "find_all", allQuery(op, column, values, options), key))
}

func allQuery(op, column string, values []any, options []Option) *query {
	q := newQuery(op, 1, options)
	q.in = &inList{column: column, values: values, all: true}
	return q
}

// Count returns how many rows compare with the key. Without a limit it counts all.
func (t *Table) Count(ctx context.Context, op string, key any, options ...Option) (int64, error) {
	return run(ctx, t.on, countPlan(t, "count", newQuery(op, 0, options), key))
}

// Exists tells whether there is a row with this key.
func (t *Table) Exists(ctx context.Context, key any) (bool, error) {
	return run(ctx, t.on, existsPlan(t, key))
}

func findPlan[T any](t *Table, kind string, q *query, key any) plan[[]T] {
	return func(ctx context.Context, r *request) (decoder[[]T], error) {
		s, err := shapeFor[T](ctx, t)
		if err != nil {
			return nil, err
		}
		return decodersOf[T](s).rows, t.request(ctx, r, kind, q, key, &protocol.Find{}, s.names)
	}
}

func getPlan[T any](t *Table, key any) plan[*T] {
	return func(ctx context.Context, r *request) (decoder[*T], error) { return planGet[T](ctx, r, t, key) }
}

// PlanGet is the plan of a get.
func planGet[T any](ctx context.Context, r *request, t *Table, key any) (decoder[*T], error) {
	s, err := shapeFor[T](ctx, t)
	if err != nil {
		return nil, err
	}
	return decodersOf[T](s).first, t.request(ctx, r, "get", byKey, key, &protocol.Find{}, s.names)
}

// RowPlan is that of the row with this key, nil when there is none.
func rowPlan(t *Table, key any) plan[Row] {
	return convert(getPlan[Row](t, key), func(found *Row) Row {
		if found == nil {
			return nil
		}
		return *found
	})
}

func convert[A, B any](from plan[A], to func(A) B) plan[B] {
	return func(ctx context.Context, r *request) (decoder[B], error) {
		decode, err := from(ctx, r)
		if err != nil {
			return nil, err
		}
		return func(reply *protocol.Reply) (result B, err error) {
			found, err := decode(reply)
			if err != nil {
				return result, err
			}
			return to(found), nil
		}, nil
	}
}

func countPlan(t *Table, kind string, q *query, key any) plan[int64] {
	return func(ctx context.Context, r *request) (decoder[int64], error) {
		return decodeNumber, t.request(ctx, r, kind, q, key, &protocol.Find{Verb: "C"}, nil)
	}
}

func existsPlan(t *Table, key any) plan[bool] {
	count := countPlan(t, "exists", byKey, key)
	return convert(count, func(rows int64) bool { return rows > 0 })
}

func decodeNumber(reply *protocol.Reply) (int64, error) {
	if reply.Len() == 1 {
		if parsed, err := strconv.ParseInt(string(reply.Values()[0]), 10, 64); err == nil {
			return parsed, nil
		}
	}
	return 0, unexpected("number")
}
