package hs

import (
	"errors"
	"strconv"
	"time"

	"handlersocket2.org/client/v2/protocol"
)

// The contract's bound for open indexes of one connection.
const maxOpen = 256

type opened struct {
	id      int
	used    uint64
	refused error
}

// A request is one line for the server, and what is to be done with its reply.
type request struct {
	kind  string
	table tableName
	spec  string   // What P says behind the id; empty: the line needs no index.
	body  []byte   // Without the id and the end of the line.
	room  [40]byte // For the body of a find by a short key.
	one   [1]any   // For a key of one value.
	// Needs is a feature without which it is not sent.
	needs  string
	change bool
	raw    bool // An error is a reply, too.
	// Patience is what the server may wait beyond the timeout.
	patience time.Duration
	// Check, if any, says whether a reply is one to this request. One that is not ends the connection.
	check replyCheck
	done  receiver
	run   *runMemory // That of a pipeline.
}

// A receiver gets the reply to a request, or an error, once. It returns the error of the call.
type receiver interface {
	answer(r *request, reply *protocol.Reply, err error) error
}

type receiverFunc func(reply *protocol.Reply, err error) error

func (f receiverFunc) answer(_ *request, reply *protocol.Reply, err error) error {
	return f(reply, err)
}

func (c *conn) has(feature string) bool {
	if feature == "" || !c.greeted && !c.original {
		return true // A server that wants a login tells so by itself.
	}
	for _, candidate := range c.features {
		if candidate == feature {
			return true
		}
	}
	return false
}

// A step is a request of one piece.
type step struct {
	request *request
	index   *opened
	opens   bool  // A P stands before it.
	refused error // It is not sent.
}

var errBefore = errors.New("the connection has ended behind an earlier call of the pipeline")

// Exchange carries requests out, and returns how many were answered. The error is that of the connection; it has Sent
// also where what stood before it was carried out.
func (c *conn) exchange(requests []*request) (answered int, err error) {
	for answered < len(requests) && err == nil {
		n := 0
		n, err = c.exchangePiece(requests[answered:])
		answered += n
		if err == nil && c.broken && answered < len(requests) {
			err = connectionError(errBefore, true)
		}
	}
	var broken *ConnectionError
	if answered > 0 && errors.As(err, &broken) {
		broken.Sent = true
	}
	return answered, err
}

// ExchangePiece carries out as many of the first requests as there is room for their indexes, or makes room.
func (c *conn) exchangePiece(requests []*request) (answered int, err error) {
	steps, lines := c.prepare(requests)
	if len(steps) == 0 {
		if err = c.replace(requests[0]); err != nil {
			return 0, err
		}
		if _, ok := c.open[requests[0].spec]; !ok {
			return 1, nil
		}
		return 0, nil
	}
	answered, err = c.carryOut(steps, lines)
	for i := range steps {
		steps[i] = step{} // The connection keeps the list, and holds on to nothing.
	}
	return answered, err
}

// Prepare makes one piece of as many requests as there is room for their indexes. The openings go along:
// an id that is refused is not open, so that the request behind it does nothing.
func (c *conn) prepare(requests []*request) ([]step, []byte) {
	steps := c.steps[:0]
	if steps == nil {
		steps = make([]step, 0, len(requests))
	}
	lines := c.out[:0]
	var last *opened // Most requests of a pipeline are for the same index.
	lastSpec := ""
	for _, r := range requests {
		if !c.has(r.needs) {
			steps = append(steps, step{request: r, refused: &UnsupportedError{Feature: r.needs}})
			continue
		}
		index, opens := (*opened)(nil), false
		if r.spec != "" {
			if index = last; r.spec != lastSpec {
				index = c.open[r.spec]
			}
			if index == nil {
				if len(c.open) >= maxOpen {
					break
				}
				index, opens = c.register(r.spec), true
				lines = appendOpening(lines, index.id, r.spec)
			}
			c.uses++
			index.used = c.uses
			last, lastSpec = index, r.spec
			lines = append(strconv.AppendInt(lines, int64(index.id), 10), '\t')
		}
		lines = append(append(lines, r.body...), '\n')
		steps = append(steps, step{request: r, index: index, opens: opens})
	}
	const kept = 64 << 10
	if cap(lines) <= kept {
		c.out = lines[:0]
	}
	const keptSteps = 1000
	if c.steps = nil; cap(steps) <= keptSteps {
		c.steps = steps
	}
	return steps, lines
}

func appendOpening(lines []byte, id int, spec string) []byte {
	lines = strconv.AppendInt(append(lines, "P\t"...), int64(id), 10)
	return append(append(append(lines, '\t'), spec...), '\n')
}

func (c *conn) register(spec string) *opened {
	index := &opened{id: len(c.open) + len(c.free)}
	if last := len(c.free) - 1; last >= 0 {
		index.id = c.free[last]
		c.free = c.free[:last]
	}
	c.open[spec] = index
	return index
}

func (c *conn) carryOut(steps []step, lines []byte) (answered int, err error) {
	expected := 0
	for i := range steps {
		if steps[i].refused == nil {
			expected++
		}
		if steps[i].opens {
			expected++
		}
	}
	opening := true
	handle := func(_ int, reply *protocol.Reply) error {
		answered = refuse(steps, answered)
		current := &steps[answered]
		if current.opens && opening {
			opening = false
			current.index.refused, err = openingError(reply)
			return err
		}
		opening = true
		answered++
		return c.finish(current, reply)
	}
	if expected > 0 {
		err = c.talk(lines, expected, handle)
	}
	if err == nil {
		answered = refuse(steps, answered)
		c.forgetRefused(steps)
	}
	return answered, err
}

// Refuse answers the requests that were not sent.
func refuse(steps []step, next int) int {
	for next < len(steps) && steps[next].refused != nil {
		steps[next].request.done.answer(steps[next].request, nil, steps[next].refused)
		next++
	}
	return next
}

// Finish gives a request its reply. The error is that of a reply to something else.
func (c *conn) finish(s *step, reply *protocol.Reply) error {
	r := s.request
	switch {
	case s.index != nil && s.index.refused != nil:
		r.done.answer(r, nil, s.index.refused)
	case reply.Code != 0 && !r.raw:
		r.done.answer(r, nil, newServerError(reply.Code, reply.Text))
	case r.check != nil && !r.check(reply):
		return r.done.answer(r, nil, unexpected("reply"))
	default:
		c.changed = c.changed || r.change
		if err := r.done.answer(r, reply, nil); isProtocolError(err) {
			return err
		}
	}
	return nil
}

// OpeningError returns the error by which an index was refused; the other is that of a reply to something else.
func openingError(reply *protocol.Reply) (refused, wrong error) {
	switch {
	case reply.Code != 0:
		return newServerError(reply.Code, reply.Text), nil
	case !hasNothing(reply):
		return nil, unexpected("reply")
	}
	return nil, nil
}

func (c *conn) forgetRefused(steps []step) {
	for i := range steps {
		if steps[i].opens && steps[i].index.refused != nil {
			delete(c.open, steps[i].request.spec)
			c.free = append(c.free, steps[i].index.id)
		}
	}
}

// Replace opens an index under the id that was used longest ago. That index stays when the new one is
// refused, so nothing may be sent behind it before the reply.
func (c *conn) replace(r *request) error {
	oldest := ""
	for spec, index := range c.open {
		if oldest == "" || index.used < c.open[oldest].used {
			oldest = spec
		}
	}
	index := c.open[oldest]
	return c.talk(appendOpening(nil, index.id, r.spec), 1, func(_ int, reply *protocol.Reply) error {
		refused, wrong := openingError(reply)
		if refused != nil {
			r.done.answer(r, nil, refused)
		} else if wrong == nil {
			delete(c.open, oldest)
			c.open[r.spec] = &opened{id: index.id}
		}
		return wrong
	})
}
