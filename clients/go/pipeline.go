package hs

import (
	"context"
	"errors"
	"sync"
	"time"

	"handlersocket2.org/client/v2/protocol"
)

var errNotRun = errors.New("the pipeline has not run")

// A Result is that of one call of a pipeline, once the pipeline has run.
type Result[T any] struct {
	value T
	err   error
}

// Get returns the result, or the error of this call alone.
func (r *Result[T]) Get() (T, error) { return r.value, r.err }

// A Pipeline collects calls and sends them in one piece. When there is a change among them, all go to the
// write port. It is for one goroutine.
type Pipeline struct {
	on    executor
	calls []preparer
}

// A preparer fills the request of a call in, and tells whether it has not failed already.
type preparer interface {
	prepare(ctx context.Context, r *request, began time.Time) bool
}

// A queued is a call of a pipeline, and in the end its result.
type queued[T any] struct {
	result Result[T]
	// The rest is given up when the result is there, which may be kept for long.
	call    plan[T]
	on      *Client
	request *request
	decode  decoder[T]
	began   time.Time
}

// Pipeline returns an empty pipeline.
func (c *Client) Pipeline() *Pipeline { return &Pipeline{on: c} }

// Pipeline returns an empty pipeline inside of the transaction.
func (tx *Tx) Pipeline() *Pipeline { return &Pipeline{on: tx} }

func add[T any](p *Pipeline, call plan[T]) *Result[T] {
	q := &queued[T]{result: Result[T]{err: errNotRun}, call: call, on: p.on.client()}
	p.calls = append(p.calls, q)
	return &q.result
}

func (q *queued[T]) prepare(ctx context.Context, r *request, began time.Time) bool {
	q.decode, q.result.err = q.call(ctx, r)
	q.call = nil
	if q.result.err != nil {
		return false
	}
	q.request, q.began, r.done = r, began, q
	return true
}

func (q *queued[T]) answer(reply *protocol.Reply, err error) error {
	if q.result.err = err; err == nil {
		q.result.value, q.result.err = q.decode(reply)
	}
	q.on.settle(q.request, q.result.err, q.began)
	q.on, q.request, q.decode = nil, nil, nil
	return q.result.err
}

// Run sends the calls. Its error is that of the connection, which the calls without an answer have, too; an
// error of a call alone is in its result. Afterwards the pipeline is empty.
func (p *Pipeline) Run(ctx context.Context) error {
	began := time.Now()
	memory := takeMemory(len(p.calls))
	for i, call := range p.calls {
		r := &memory.made[i]
		if call.prepare(ctx, r, began) {
			memory.requests = append(memory.requests, r)
		}
	}
	p.calls = nil
	var err error
	if len(memory.requests) > 0 {
		err = p.on.do(ctx, memory.requests)
	}
	memory.giveBack()
	return err
}

// RunMemory is what a run of a pipeline needs. Nobody has any of it when the run is over, so that it serves another
// one.
type runMemory struct {
	made     []request
	requests []*request // Those of them that are sent.
}

var freeMemory sync.Pool // Of *runMemory.

func takeMemory(calls int) *runMemory {
	if m, ok := freeMemory.Get().(*runMemory); ok && cap(m.made) >= calls {
		m.made = m.made[:calls]
		return m
	}
	return &runMemory{made: make([]request, calls), requests: make([]*request, 0, calls)}
}

func (m *runMemory) giveBack() {
	const most = 1000 // Calls; the memory of more is not kept.
	if cap(m.made) > most {
		return
	}
	for i := range m.made {
		m.made[i] = request{} // It holds on to nothing.
	}
	m.requests = m.requests[:0]
	freeMemory.Put(m)
}

// Get adds Table.Get.
func (p *Pipeline) Get(t *Table, key any) *Result[Row] {
	return add(p, rowPlan(t.at(p), key))
}

// Find adds Table.Find.
func (p *Pipeline) Find(t *Table, op string, key any, options ...Option) *Result[[]Row] {
	return add(p, findPlan[Row](t.at(p), "find", newQuery(op, 1, options), key))
}

// PipelineGet adds Get: the row as a T, a struct with tags hs:"column", or nil when there is none.
func PipelineGet[T any](p *Pipeline, t *Table, key any) *Result[*T] {
	return add(p, getPlan[T](t.at(p), key))
}

// PipelineFind adds Find: the rows as Ts, structs with tags hs:"column".
func PipelineFind[T any](p *Pipeline, t *Table, op string, key any, options ...Option) *Result[[]T] {
	return add(p, findPlan[T](t.at(p), "find", newQuery(op, 1, options), key))
}

// FindAll adds Table.FindAll.
func (p *Pipeline) FindAll(
	t *Table, op string, key any, column string, values []any, options ...Option,
) *Result[[]Row] {
	q := allQuery(op, column, values, options)
	return add(p, findPlan[Row](t.at(p), "find_all", q, key))
}

// Count adds Table.Count.
func (p *Pipeline) Count(t *Table, op string, key any, options ...Option) *Result[int64] {
	return add(p, countPlan(t.at(p), "count", newQuery(op, 0, options), key))
}

// Exists adds Table.Exists.
func (p *Pipeline) Exists(t *Table, key any) *Result[bool] { return add(p, existsPlan(t.at(p), key)) }

// Insert adds Table.Insert.
func (p *Pipeline) Insert(t *Table, row any) *Result[uint64] { return add(p, insertPlan(t.at(p), row)) }

// InsertIgnore adds Table.InsertIgnore.
func (p *Pipeline) InsertIgnore(t *Table, row any) *Result[Inserted] {
	return add(p, ignorePlan(t.at(p), row))
}

// Upsert adds Table.Upsert.
func (p *Pipeline) Upsert(t *Table, row, update any) *Result[Upserted] {
	return add(p, upsertPlan(t.at(p), row, update))
}

// Replace adds Table.Replace.
func (p *Pipeline) Replace(t *Table, row any) *Result[Replaced] {
	return add(p, replacePlan(t.at(p), row))
}

// Update adds Table.Update.
func (p *Pipeline) Update(t *Table, key, values any, options ...Option) *Result[int64] {
	return add(p, changePlan(t.at(p), "update", "U", key, values, options))
}

// Delete adds Table.Delete.
func (p *Pipeline) Delete(t *Table, key any, options ...Option) *Result[int64] {
	return add(p, changePlan(t.at(p), "delete", "D", key, nil, options))
}

// Increment adds Table.Increment.
func (p *Pipeline) Increment(t *Table, key, amounts any, options ...Option) *Result[int64] {
	return add(p, changePlan(t.at(p), "increment", "+", key, amounts, options))
}

// Decrement adds Table.Decrement.
func (p *Pipeline) Decrement(t *Table, key, amounts any, options ...Option) *Result[int64] {
	return add(p, changePlan(t.at(p), "decrement", "-", key, amounts, options))
}

// CompareAndSet adds Table.CompareAndSet.
func (p *Pipeline) CompareAndSet(t *Table, key, expected, values any) *Result[bool] {
	return add(p, comparePlan(t.at(p), key, expected, values))
}

// At returns the table where the pipeline runs.
func (t *Table) at(p *Pipeline) *Table {
	if t.on == p.on {
		return t
	}
	there := *t
	there.on = p.on
	return &there
}
