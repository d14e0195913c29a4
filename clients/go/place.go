package hs

import (
	"context"
	"errors"
	"sync"
	"time"
)

var errClosed = errors.New("the client is closed")

// A place is a pool of connections to one endpoint.
type place struct {
	options *Options
	to      endpoint
	slots   chan struct{}

	mutex  sync.Mutex
	idle   []*conn // The one that was used last is at the end.
	closed bool
	reaper *time.Timer
}

func newPlace(options *Options, to endpoint) *place {
	return &place{options: options, to: to, slots: make(chan struct{}, options.PoolSize)}
}

// An idle connection that was used so short ago hardly ever ended since.
const trusted = 100 * time.Millisecond

// Take returns a connection, and waits for one while all are in use. Whether an idle one is still there
// is a call of the system: what may be sent again is not worth it where the connection was just used.
func (p *place) take(ctx context.Context, change bool) (*conn, error) {
	if err := p.wait(ctx); err != nil {
		return nil, connectionError(err, false)
	}
	for {
		c, err := p.pop()
		if err != nil {
			<-p.slots
			return nil, connectionError(err, false)
		}
		if c == nil {
			break
		}
		c.reused = true
		if !change && !c.doubtful && time.Since(c.idleFrom) < trusted {
			return c, nil
		}
		c.deadline = time.Time{}
		c.net.SetDeadline(c.deadline) //nolint:errcheck // The check tells.
		if alive(c.net) {
			return c, nil
		}
		c.net.Close()
	}
	c, err := dial(ctx, p.options, p.to)
	if err != nil {
		<-p.slots
	}
	return c, err
}

func (p *place) wait(ctx context.Context) error {
	if p.tryWait() {
		return nil
	}
	if p.options.Timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, p.options.Timeout)
		defer cancel()
		ctx = limited
	}
	select {
	case p.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *place) tryWait() bool {
	select {
	case p.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (p *place) pop() (*conn, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.closed {
		return nil, errClosed
	}
	last := len(p.idle) - 1
	if last < 0 {
		return nil, nil
	}
	c := p.idle[last]
	p.idle = p.idle[:last]
	return c, nil
}

// TakeChanged returns the idle connections that have changed something of which the GTID is not known.
func (p *place) takeChanged() []*conn {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var changed []*conn
	kept := p.idle[:0]
	for _, c := range p.idle {
		if c.changed && p.tryWait() {
			changed = append(changed, c)
		} else {
			kept = append(kept, c)
		}
	}
	p.idle = kept
	return changed
}

// Give takes a connection back.
func (p *place) give(c *conn) {
	defer func() { <-p.slots }()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if c.broken {
		for _, other := range p.idle {
			other.doubtful = true
		}
	}
	if c.broken || p.closed {
		c.net.Close()
		return
	}
	c.idleFrom, c.doubtful = time.Now(), false
	p.idle = append(p.idle, c)
	if p.reaper == nil && p.options.MaxIdle > 0 {
		p.reaper = time.AfterFunc(p.options.MaxIdle, p.reap)
	}
}

// Reap closes the connections that were not used for too long.
func (p *place) reap() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.reaper = nil
	old := 0
	for old < len(p.idle) && time.Since(p.idle[old].idleFrom) >= p.options.MaxIdle {
		p.idle[old].net.Close()
		old++
	}
	p.idle = append(p.idle[:0], p.idle[old:]...)
	if len(p.idle) > 0 && !p.closed {
		left := p.options.MaxIdle - time.Since(p.idle[0].idleFrom)
		p.reaper = time.AfterFunc(left, p.reap)
	}
}

func (p *place) close() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.closed = true
	if p.reaper != nil {
		p.reaper.Stop()
	}
	for _, c := range p.idle {
		c.net.Close()
	}
	p.idle = nil
}
