package hs

import (
	"context"
	"errors"

	"handlersocket2.org/client/v2/protocol"
)

var errEnded = errors.New("the transaction has ended")

// The kinds of the requests that end a transaction.
const commits, rollsBack = "commit", "rollback"

// TxOptions say how a transaction reads.
type TxOptions struct {
	// Isolation is RU, RC, RR, SR, or empty for the server's own.
	Isolation string
	// ReadOnly is for one view of the data over many reads. It goes to the read port.
	ReadOnly bool
}

// A Tx is a transaction, with a connection of its own. It carries out one call at a time: those of other
// goroutines wait for their turn.
type Tx struct {
	turn       chan struct{} // Full while a call has its turn.
	owner      *Client
	place      *place
	connection *conn // Nil when it has ended.
	changed    bool
}

// Transaction runs a function inside of a transaction, which is committed when the function returns no
// error, and rolled back when it returns one or panics. Nothing is repeated by itself.
func (c *Client) Transaction(ctx context.Context, options TxOptions, do func(tx *Tx) error) error {
	tx, err := c.Begin(ctx, options)
	if err != nil {
		return err
	}
	defer tx.abandon() // Where the function panics; the server rolls back.
	if err = do(tx); err != nil {
		tx.Rollback(ctx) //nolint:errcheck // The function's own error tells more.
		return err
	}
	return tx.Commit(ctx)
}

// Begin begins a transaction, which must be ended by Commit or Rollback. Prefer Transaction.
func (c *Client) Begin(ctx context.Context, options TxOptions) (*Tx, error) {
	line, err := protocol.AppendBegin(nil, options.Isolation, options.ReadOnly)
	if err != nil {
		return nil, err
	}
	tx := &Tx{turn: make(chan struct{}, 1), owner: c, place: c.read}
	for attempt := 0; ; attempt++ {
		if options.ReadOnly {
			tx.connection, err = c.read.take(ctx, true)
		} else {
			tx.place, tx.connection, err = c.take(ctx, true)
		}
		if err == nil {
			if err = tx.step(ctx, "begin", line); err == nil {
				return tx, nil
			}
			tx.connection.broken = true // T B that fails loses what follows.
			tx.end()
		}
		if !retryable(err, true) || attempt >= c.options.Retries || pause(ctx, attempt) != nil {
			return nil, err
		}
	}
}

// Table returns a table inside of the transaction.
func (tx *Tx) Table(name string, options ...TableOption) *Table {
	return tx.owner.Table(name, options...).On(tx)
}

// Commit ends the transaction. After an error nothing was kept, unless it is a ConnectionError with Sent.
func (tx *Tx) Commit(ctx context.Context) error {
	return tx.step(ctx, commits, protocol.AppendCommit(nil))
}

// Rollback ends the transaction, and nothing is kept.
func (tx *Tx) Rollback(ctx context.Context) error {
	return tx.step(ctx, rollsBack, protocol.AppendRollback(nil))
}

// Savepoint sets a savepoint.
func (tx *Tx) Savepoint(ctx context.Context, name string) error {
	line, err := protocol.AppendSavepoint(nil, name)
	if err != nil {
		return err
	}
	return tx.step(ctx, "savepoint", line)
}

// RollbackTo undoes what was done since a savepoint.
func (tx *Tx) RollbackTo(ctx context.Context, name string) error {
	line, err := protocol.AppendRollbackTo(nil, name)
	if err != nil {
		return err
	}
	return tx.step(ctx, "rollback_to", line)
}

func (tx *Tx) step(ctx context.Context, kind string, line []byte) error {
	_, err := run(ctx, tx, func(_ context.Context, r *request) (decoder[struct{}], error) {
		r.kind, r.body, r.needs, r.check = kind, trimLine(line), "transaction", hasNothing
		return func(*protocol.Reply) (struct{}, error) { return struct{}{}, nil }, nil
	})
	return err
}

func (tx *Tx) client() *Client { return tx.owner }

// Do carries requests out, each once, when those of others have ended.
func (tx *Tx) do(ctx context.Context, requests []*request) error {
	select {
	case tx.turn <- struct{}{}:
	case <-ctx.Done():
		err := connectionError(ctx.Err(), false)
		for _, r := range requests {
			r.done.answer(r, nil, err)
		}
		return err
	}
	defer func() { <-tx.turn }()
	first := requests[0]
	var failed error
	if asked := first.done; first.kind == rollsBack {
		first.done = receiverFunc(func(reply *protocol.Reply, err error) error {
			failed = asked.answer(first, reply, err)
			return failed
		})
	}
	err := tx.carryOut(ctx, requests)
	switch first.kind {
	case commits:
		if err == nil && tx.changed && tx.owner.options.ReadYourWrites {
			tx.carryOut(ctx, []*request{tx.owner.gtids.ask()}) //nolint:errcheck // The commit is done.
		}
		tx.end()
	case rollsBack:
		if failed != nil && tx.connection != nil {
			tx.connection.broken = true // The server rolls back when it ends.
		}
		tx.end()
	}
	return err
}

func (tx *Tx) carryOut(ctx context.Context, requests []*request) (err error) {
	answered := 0
	switch {
	case tx.connection == nil:
		err = connectionError(errEnded, false)
	case tx.connection.broken:
		err = connectionError(errors.New("the transaction's connection broke"), false)
	default:
		err = tx.connection.guarded(ctx, tx.owner.options.Timeout, func() (err error) {
			answered, err = tx.connection.exchange(requests)
			return err
		})
	}
	for _, r := range requests[:answered] {
		tx.changed = tx.changed || r.change
	}
	for _, r := range requests[answered:] {
		r.done.answer(r, nil, err)
	}
	return err
}

// Abandon ends a transaction that was not ended, by its connection's end.
func (tx *Tx) abandon() {
	tx.turn <- struct{}{}
	defer func() { <-tx.turn }()
	if tx.connection != nil {
		tx.connection.broken = true
		tx.end()
	}
}

func (tx *Tx) end() {
	if tx.connection != nil {
		tx.place.give(tx.connection)
		tx.connection = nil
	}
}
