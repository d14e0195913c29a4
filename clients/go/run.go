package hs

import (
	"context"
	"log"
	"runtime/debug"
	"time"

	"handlersocket2.org/client/v2/protocol"
)

// A decoder makes a result of a reply, which it may not keep.
type decoder[T any] func(reply *protocol.Reply) (T, error)

// A plan fills the request of a call in, for which it may have to ask for a table's columns.
type plan[T any] func(ctx context.Context, r *request) (decoder[T], error)

// Run carries one call out.
func run[T any](ctx context.Context, on executor, call plan[T]) (result T, err error) {
	began := time.Time{}
	if on.client().options.OnRequest != nil {
		began = time.Now()
	}
	r := &request{}
	decode, err := call(ctx, r)
	if err != nil {
		return result, err
	}
	r.done = receiverFunc(func(reply *protocol.Reply, failed error) error {
		if err = failed; err == nil {
			result, err = decode(reply)
		}
		return err
	})
	if failed := on.do(ctx, []*request{r}); failed != nil {
		err = failed
	}
	on.client().settle(r, err, began)
	return result, err
}

// Settle calls the hook, and forgets the columns of a table that has been altered.
func (c *Client) settle(r *request, err error, began time.Time) {
	switch err.(type) {
	case *NotFoundError, *ProtocolError:
		c.layouts.Delete(r.table)
	}
	if c.options.OnRequest != nil {
		c.tell(r, err, began)
	}
}

// Tell calls the hook. One that panics changes nothing of a call that has ended: it is logged.
func (c *Client) tell(r *request, err error, began time.Time) {
	defer func() {
		if failure := recover(); failure != nil {
			log.Printf("handlersocket2: OnRequest has panicked: %v\n%s", failure, debug.Stack())
		}
	}()
	c.options.OnRequest(r.kind, r.table.String(), time.Since(began), err)
}

func trimLine(line []byte) []byte { return line[:len(line)-1] }

func isOne(reply *protocol.Reply) bool {
	return reply.Len() == 1 && string(reply.Values()[0]) == "1"
}
