package hs

import "context"

// When says which rows a change gives.
type When string

// Before gives the rows as they were, After as they are afterwards.
const (
	Before When = "?"
	After  When = "!"
)

// A Returning is a table whose changes give rows.
type Returning struct {
	table *Table
	when  When
}

// Returning returns the table with changes that give rows. Inserts give the columns of the row and those of
// the table object, deletes the latter, and other changes those that they set.
func (t *Table) Returning(when When) *Returning { return &Returning{t, when} }

// Insert adds a row, and gives it as it is afterwards.
func (r *Returning) Insert(ctx context.Context, row any) ([]Row, error) {
	return r.insert(ctx, "insert", "+", row, nil)
}

// InsertIgnore is Table.InsertIgnore with rows.
func (r *Returning) InsertIgnore(ctx context.Context, row any) ([]Row, error) {
	return r.insert(ctx, "insert_ignore", "+I", row, nil)
}

// Upsert is Table.Upsert with rows.
func (r *Returning) Upsert(ctx context.Context, row, update any) ([]Row, error) {
	return r.insert(ctx, "upsert", "+U", row, update)
}

// Replace is Table.Replace with rows.
func (r *Returning) Replace(ctx context.Context, row any) ([]Row, error) {
	return r.insert(ctx, "replace", "+R", row, nil)
}

// Update is Table.Update with rows.
func (r *Returning) Update(ctx context.Context, key, values any, options ...Option) ([]Row, error) {
	return r.change(ctx, "update", "U", key, values, options)
}

// Delete is Table.Delete with the rows before.
func (r *Returning) Delete(ctx context.Context, key any, options ...Option) ([]Row, error) {
	return r.change(ctx, "delete", "D", key, nil, options)
}

// Increment is Table.Increment with rows.
func (r *Returning) Increment(
	ctx context.Context, key, amounts any, options ...Option,
) ([]Row, error) {
	return r.change(ctx, "increment", "+", key, amounts, options)
}

// Decrement is Table.Decrement with rows.
func (r *Returning) Decrement(
	ctx context.Context, key, amounts any, options ...Option,
) ([]Row, error) {
	return r.change(ctx, "decrement", "-", key, amounts, options)
}

func (r *Returning) insert(
	ctx context.Context, kind, verb string, row, update any,
) ([]Row, error) {
	t := r.table
	return run(ctx, t.on, func(ctx context.Context, made *request) (decoder[[]Row], error) {
		all, err := shapeFor[Row](ctx, t)
		if err != nil {
			return nil, err
		}
		names, err := t.insertRequest(made, kind, verb+string(r.when), row, update, all.names)
		if err != nil {
			return nil, err
		}
		return r.decoded(ctx, names)
	})
}

func (r *Returning) change(
	ctx context.Context, kind, verb string, key, values any, options []Option,
) ([]Row, error) {
	t, q := r.table, newQuery("=", 1, options)
	return run(ctx, t.on, func(ctx context.Context, made *request) (decoder[[]Row], error) {
		names, err := t.changeRequest(ctx, made, kind, verb+string(r.when), key, values, q)
		if err != nil {
			return nil, err
		}
		return r.decoded(ctx, names)
	})
}

func (r *Returning) decoded(ctx context.Context, names []string) (decoder[[]Row], error) {
	s := &shape{names: names, raw: r.table.raw}
	if !s.raw {
		var err error
		if s.of, err = r.table.describedOrText(ctx, names); err != nil {
			return nil, err
		}
		s.addKinds()
	}
	return decodersOf[Row](s).rows, nil
}
