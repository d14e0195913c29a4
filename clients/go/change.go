package hs

import (
	"context"
	"strconv"

	"handlersocket2.org/client/v2/protocol"
)

// Inserted is the result of InsertIgnore.
type Inserted struct {
	// Inserted tells whether the row was added.
	Inserted bool
	// ID is the generated one, or 0.
	ID uint64
}

// Upserted is the result of Upsert.
type Upserted struct {
	// Did is inserted, updated or unchanged.
	Did string
	// ID is the generated one, or that of the row that was updated, or 0.
	ID uint64
}

// Replaced is the result of Replace.
type Replaced struct {
	// Rows is how many rows the new one has replaced.
	Rows int64
	// ID is the generated one, or 0.
	ID uint64
}

// Insert adds a row, a Row or a struct with tags hs:"column", and returns the generated id, or 0.
func (t *Table) Insert(ctx context.Context, row any) (uint64, error) {
	return run(ctx, t.on, insertPlan(t, row))
}

// InsertIgnore adds a row, if none with the same value in a unique index is there already.
func (t *Table) InsertIgnore(ctx context.Context, row any) (Inserted, error) {
	return run(ctx, t.on, ignorePlan(t, row))
}

// Upsert adds a row, or updates the one that is there: to the values of update, or, when that is nil, to
// those of the row.
func (t *Table) Upsert(ctx context.Context, row, update any) (Upserted, error) {
	return run(ctx, t.on, upsertPlan(t, row, update))
}

// Replace adds a row in the place of all with the same value in a unique index.
func (t *Table) Replace(ctx context.Context, row any) (Replaced, error) {
	return run(ctx, t.on, replacePlan(t, row))
}

// Update sets columns of the rows with this key and returns how many rows there were. The limit is one
// row, if none is given.
func (t *Table) Update(ctx context.Context, key, values any, options ...Option) (int64, error) {
	return run(ctx, t.on, changePlan(t, "update", "U", key, values, options))
}

// Delete deletes the rows with this key and returns how many. The limit is one row, if none is given.
func (t *Table) Delete(ctx context.Context, key any, options ...Option) (int64, error) {
	return run(ctx, t.on, changePlan(t, "delete", "D", key, nil, options))
}

// Increment adds integers to columns, and returns how many rows there were.
func (t *Table) Increment(ctx context.Context, key, amounts any, options ...Option) (int64, error) {
	return run(ctx, t.on, changePlan(t, "increment", "+", key, amounts, options))
}

// Decrement subtracts integers from columns, and returns how many rows were changed. One that would cross
// zero is left alone and not counted.
func (t *Table) Decrement(ctx context.Context, key, amounts any, options ...Option) (int64, error) {
	return run(ctx, t.on, changePlan(t, "decrement", "-", key, amounts, options))
}

// CompareAndSet sets columns of the row with this key if it is as expected, and tells whether it was.
func (t *Table) CompareAndSet(ctx context.Context, key, expected, values any) (bool, error) {
	return run(ctx, t.on, comparePlan(t, key, expected, values))
}

func changePlan(t *Table, kind, verb string, key, values any, options []Option) plan[int64] {
	return func(ctx context.Context, r *request) (decoder[int64], error) {
		_, err := t.changeRequest(ctx, r, kind, verb, key, values, newQuery("=", 1, options))
		return decodeNumber, err
	}
}

func (t *Table) changeRequest(
	ctx context.Context, r *request, kind, verb string, key, values any, q *query,
) (names []string, err error) {
	find := &protocol.Find{Verb: verb}
	if verb[0] == 'D' {
		if len(verb) > 1 {
			names = t.columns
			if names == nil {
				known, err := t.layout(ctx, nil)
				if err != nil {
					return nil, err
				}
				names = known.names
			}
		}
	} else if names, find.Values, err = record(values); err != nil {
		return nil, err
	} else if len(names) == 0 {
		return nil, &ValueError{What: "there is no column to change"}
	}
	return names, t.request(ctx, r, kind, q, key, find, names)
}

func comparePlan(t *Table, key, expected, values any) plan[bool] {
	return func(ctx context.Context, r *request) (decoder[bool], error) {
		names, wanted, err := record(expected)
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, &ValueError{What: "there is nothing to compare with"}
		}
		q := newQuery("=", 1, nil)
		for i, name := range names {
			q.filters = append(q.filters, filter{"F", name, "=", wanted[i]})
		}
		_, err = t.changeRequest(ctx, r, "compare_and_set", "U", key, values, q)
		return func(reply *protocol.Reply) (bool, error) {
			rows, err := decodeNumber(reply)
			return rows > 0, err
		}, err
	}
}

// InsertRequest makes the request of an insert that opens further columns behind those of the row.
func (t *Table) insertRequest(
	r *request, kind, verb string, row, update any, further []string,
) (names []string, err error) {
	names, values, err := record(row)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, &ValueError{What: "a row has a column at least"}
	}
	insert := &protocol.Insert{Verb: verb, Values: values}
	if update != nil {
		var updated []string
		if updated, insert.Update, err = record(update); err != nil {
			return nil, err
		}
		if insert.Update == nil {
			insert.Update = []any{}
		}
		if names, insert.Values, err = reorder(names, values, updated); err != nil {
			return nil, err
		}
	}
	for _, name := range further {
		if position(names, name) < 0 {
			names = append(names, name)
		}
	}
	if r.spec, err = t.spec(names, nil); err != nil {
		return nil, err
	}
	if r.body, err = insert.Append(make([]byte, 0, 64)); err != nil {
		return nil, err
	}
	r.kind, r.table, r.needs, r.change = kind, t.name, needsOfVerb(verb), true
	r.check = checkOfInsert(verb, len(names))
	return names, nil
}

// Reorder moves the columns of an update to the front: it sets the first opened columns.
func reorder(names []string, values []any, front []string) ([]string, []any, error) {
	ordered := append([]string{}, front...)
	moved := make([]any, 0, len(values))
	for _, name := range front {
		place := position(names, name)
		if place < 0 {
			return nil, nil, &ValueError{What: "column " + name + " is updated and not in the row"}
		}
		moved = append(moved, values[place])
	}
	for i, name := range names {
		if position(front, name) < 0 {
			ordered = append(ordered, name)
			moved = append(moved, values[i])
		}
	}
	return ordered, moved, nil
}

func insertPlan(t *Table, row any) plan[uint64] {
	return func(_ context.Context, r *request) (decoder[uint64], error) {
		_, err := t.insertRequest(r, "insert", "+", row, nil, nil)
		return func(reply *protocol.Reply) (uint64, error) {
			if reply.Len() == 0 {
				return 0, nil
			}
			return decodeID(reply, 0)
		}, err
	}
}

func ignorePlan(t *Table, row any) plan[Inserted] {
	return upsertLike(t, "insert_ignore", "+I", row, nil, func(number int64, id uint64) Inserted {
		return Inserted{number > 0, id}
	})
}

func upsertPlan(t *Table, row, update any) plan[Upserted] {
	return upsertLike(t, "upsert", "+U", row, update, func(number int64, id uint64) Upserted {
		did := "unchanged"
		if number == 1 {
			did = "inserted"
		} else if number > 1 {
			did = "updated"
		}
		return Upserted{did, id}
	})
}

func replacePlan(t *Table, row any) plan[Replaced] {
	return upsertLike(t, "replace", "+R", row, nil, func(number int64, id uint64) Replaced {
		return Replaced{number - 1, id}
	})
}

func upsertLike[T any](
	t *Table, kind, verb string, row, update any, result func(number int64, id uint64) T,
) plan[T] {
	return func(_ context.Context, r *request) (decoder[T], error) {
		_, err := t.insertRequest(r, kind, verb, row, update, nil)
		return func(reply *protocol.Reply) (none T, err error) {
			number, err := decodeID(reply, 0)
			if err != nil || reply.Columns < 2 {
				return result(int64(number), 0), err
			}
			id, err := decodeID(reply, 1)
			return result(int64(number), id), err
		}, err
	}
}

func decodeID(reply *protocol.Reply, place int) (uint64, error) {
	if place < reply.Len() {
		if id, err := strconv.ParseUint(string(reply.Values()[place]), 10, 64); err == nil {
			return id, nil
		}
	}
	return 0, unexpected("number")
}
