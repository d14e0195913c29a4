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
	return run(ctx, r.table.on, r.insert("insert", "+", row, nil))
}

// InsertIgnore is Table.InsertIgnore with rows.
func (r *Returning) InsertIgnore(ctx context.Context, row any) ([]Row, error) {
	return run(ctx, r.table.on, r.insert("insert_ignore", "+I", row, nil))
}

// Upsert is Table.Upsert with rows.
func (r *Returning) Upsert(ctx context.Context, row, update any) ([]Row, error) {
	return run(ctx, r.table.on, r.insert("upsert", "+U", row, update))
}

// Replace is Table.Replace with rows.
func (r *Returning) Replace(ctx context.Context, row any) ([]Row, error) {
	return run(ctx, r.table.on, r.insert("replace", "+R", row, nil))
}

// Update is Table.Update with rows.
func (r *Returning) Update(ctx context.Context, key, values any, options ...Option) ([]Row, error) {
	return run(ctx, r.table.on, r.change("update", "U", key, values, options))
}

// Delete is Table.Delete with the rows before.
func (r *Returning) Delete(ctx context.Context, key any, options ...Option) ([]Row, error) {
	return run(ctx, r.table.on, r.change("delete", "D", key, nil, options))
}

// Increment is Table.Increment with rows.
func (r *Returning) Increment(
	ctx context.Context, key, amounts any, options ...Option,
) ([]Row, error) {
	return run(ctx, r.table.on, r.change("increment", "+", key, amounts, options))
}

// Decrement is Table.Decrement with rows.
func (r *Returning) Decrement(
	ctx context.Context, key, amounts any, options ...Option,
) ([]Row, error) {
	return run(ctx, r.table.on, r.change("decrement", "-", key, amounts, options))
}

// A PipelineReturning is a table whose changes give rows, in a pipeline.
type PipelineReturning struct {
	pipeline *Pipeline
	on       *Returning
}

// Returning returns the table, whose changes are added to the pipeline and give rows.
func (p *Pipeline) Returning(t *Table, when When) *PipelineReturning {
	return &PipelineReturning{p, t.at(p).Returning(when)}
}

// Insert adds Returning.Insert.
func (r *PipelineReturning) Insert(row any) *Result[[]Row] {
	return add(r.pipeline, r.on.insert("insert", "+", row, nil))
}

// InsertIgnore adds Returning.InsertIgnore.
func (r *PipelineReturning) InsertIgnore(row any) *Result[[]Row] {
	return add(r.pipeline, r.on.insert("insert_ignore", "+I", row, nil))
}

// Upsert adds Returning.Upsert.
func (r *PipelineReturning) Upsert(row, update any) *Result[[]Row] {
	return add(r.pipeline, r.on.insert("upsert", "+U", row, update))
}

// Replace adds Returning.Replace.
func (r *PipelineReturning) Replace(row any) *Result[[]Row] {
	return add(r.pipeline, r.on.insert("replace", "+R", row, nil))
}

// Update adds Returning.Update.
func (r *PipelineReturning) Update(key, values any, options ...Option) *Result[[]Row] {
	return add(r.pipeline, r.on.change("update", "U", key, values, options))
}

// Delete adds Returning.Delete.
func (r *PipelineReturning) Delete(key any, options ...Option) *Result[[]Row] {
	return add(r.pipeline, r.on.change("delete", "D", key, nil, options))
}

// Increment adds Returning.Increment.
func (r *PipelineReturning) Increment(key, amounts any, options ...Option) *Result[[]Row] {
	return add(r.pipeline, r.on.change("increment", "+", key, amounts, options))
}

// Decrement adds Returning.Decrement.
func (r *PipelineReturning) Decrement(key, amounts any, options ...Option) *Result[[]Row] {
	return add(r.pipeline, r.on.change("decrement", "-", key, amounts, options))
}

func (r *Returning) insert(kind, verb string, row, update any) plan[[]Row] {
	t := r.table
	return func(ctx context.Context, made *request) (decoder[[]Row], error) {
		all, err := shapeFor[Row](ctx, t)
		if err != nil {
			return nil, err
		}
		names, err := t.insertRequest(made, kind, verb+string(r.when), row, update, all.names)
		if err != nil {
			return nil, err
		}
		return r.decoded(ctx, names)
	}
}

func (r *Returning) change(kind, verb string, key, values any, options []Option) plan[[]Row] {
	t, q := r.table, newQuery("=", 1, options)
	return func(ctx context.Context, made *request) (decoder[[]Row], error) {
		names, err := t.changeRequest(ctx, made, kind, verb+string(r.when), key, values, q)
		if err != nil {
			return nil, err
		}
		return r.decoded(ctx, names)
	}
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
