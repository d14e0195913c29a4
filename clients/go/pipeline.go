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
	on     executor
	memory *runMemory // Nil until a call is added.
}

// A preparer fills the request of a call in, and tells whether it has not failed already.
type preparer interface {
	prepare(ctx context.Context, r *request) bool
}

// A queued is a call of a pipeline, and in the end its result.
type queued[T any] struct {
	result Result[T]
	// The rest is given up when the result is there, which may be kept for long.
	call   plan[T]
	decode decoder[T]
}

// A queuedGet is that of a get, which spares the function that a plan is.
type queuedGet[T any] struct {
	queued[*T]
	table *Table
	key   any
}

// Pipeline returns an empty pipeline.
func (c *Client) Pipeline() *Pipeline { return &Pipeline{on: c} }

// Pipeline returns an empty pipeline inside of the transaction.
func (tx *Tx) Pipeline() *Pipeline { return &Pipeline{on: tx} }

func add[T any](p *Pipeline, call plan[T]) *Result[T] {
	q := &queued[T]{result: Result[T]{err: errNotRun}, call: call}
	p.queue(q)
	return &q.result
}

func addGet[T any](p *Pipeline, t *Table, key any) *Result[*T] {
	q := &queuedGet[T]{queued[*T]{result: Result[*T]{err: errNotRun}}, t, key}
	p.queue(q)
	return &q.result
}

func (p *Pipeline) queue(call preparer) {
	if p.memory == nil {
		p.memory = takeMemory()
	}
	p.memory.calls = append(p.memory.calls, call)
}

func (q *queued[T]) prepare(ctx context.Context, r *request) bool {
	q.decode, q.result.err = q.call(ctx, r)
	q.call = nil
	r.done = q
	return q.result.err == nil
}

func (q *queuedGet[T]) prepare(ctx context.Context, r *request) bool {
	q.decode, q.result.err = planGet[T](ctx, r, q.table, q.key)
	q.table, q.key = nil, nil
	r.done = &q.queued
	return q.result.err == nil
}

func (q *queued[T]) answer(r *request, reply *protocol.Reply, err error) error {
	if q.result.err = err; err == nil {
		q.result.value, q.result.err = q.decode(reply)
	}
	q.decode = nil
	r.run.client.settle(r, q.result.err, r.run.began)
	return q.result.err
}

// Run sends the calls. Its error is that of the connection, which the calls without an answer have, too; an
// error of a call alone is in its result. Afterwards the pipeline is empty.
func (p *Pipeline) Run(ctx context.Context) error {
	memory := p.memory
	if memory == nil {
		return nil
	}
	p.memory = nil
	memory.begin(p.on.client())
	for i, call := range memory.calls {
		r := &memory.made[i]
		if r.run = memory; call.prepare(ctx, r) {
			memory.requests = append(memory.requests, r)
		}
	}
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
	calls    []preparer
	made     []request
	requests []*request // Those of them that are sent.
	client   *Client
	began    time.Time
}

var freeMemory sync.Pool // Of *runMemory.

func takeMemory() *runMemory {
	if m, ok := freeMemory.Get().(*runMemory); ok {
		return m
	}
	return &runMemory{}
}

// Begin makes room for the requests of the calls.
func (m *runMemory) begin(client *Client) {
	count := len(m.calls)
	if cap(m.made) < count {
		m.made, m.requests = make([]request, count), make([]*request, 0, count)
	}
	m.made = m.made[:count]
	m.client, m.began = client, time.Now()
}

func (m *runMemory) giveBack() {
	const most = 1000 // Calls; the memory of more is not kept.
	if cap(m.made) > most {
		return
	}
	for i := range m.made { // It holds on to nothing.
		m.made[i], m.calls[i] = request{}, nil
	}
	*m = runMemory{calls: m.calls[:0], made: m.made, requests: m.requests[:0]}
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
	return addGet[T](p, t.at(p), key)
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
