package hs

import (
	"context"
	"errors"
	"math/rand"
	"sync"
	"sync/atomic"
	"time"
)

// A Client is a pool of connections to each place: the read port, the write port, each replica. It is
// safe for goroutines.
type Client struct {
	options  Options
	read     *place
	write    *place // Nil when there is none.
	replicas []*place
	turn     atomic.Uint64
	layouts  sync.Map // By tableName: *description.
	gtids    gtids
}

// Connect returns a client for a URL; see ParseURL. The functions may set what no URL can, such as a hook.
// Nothing is opened before it is needed.
func Connect(url string, set ...func(*Options)) (*Client, error) {
	options, err := ParseURL(url)
	if err != nil {
		return nil, err
	}
	for _, change := range set {
		change(&options)
	}
	return Open(options)
}

// Open returns a client for options. Nothing is opened before it is needed.
func Open(options Options) (*Client, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	c := &Client{options: options}
	o := &c.options
	writeSecret := o.WriteSecret
	if writeSecret == "" {
		writeSecret = o.Secret
	}
	if o.Socket != "" {
		c.read = newPlace(o, endpoint{"unix", o.Socket, o.Secret})
	} else {
		c.read = newPlace(o, endpoint{"tcp", join(o.Host, o.Port), o.Secret})
	}
	if o.WriteSocket != "" {
		c.write = newPlace(o, endpoint{"unix", o.WriteSocket, writeSecret})
	} else if o.Socket == "" {
		c.write = newPlace(o, endpoint{"tcp", join(o.Host, o.WritePort), writeSecret})
	}
	for _, address := range o.Replicas {
		c.replicas = append(c.replicas, newPlace(o, endpoint{"tcp", address, o.Secret}))
	}
	return c, nil
}

// Close closes all connections. Those that are in use are closed when their call ends.
func (c *Client) Close() error {
	for _, p := range append([]*place{c.read, c.write}, c.replicas...) {
		if p != nil {
			p.close()
		}
	}
	return nil
}

// Ping opens a connection to the read port, if there is none, and gets an answer.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.Raw(ctx, ReadPort, "H", "2", c.options.Name)
	return err
}

// Features returns what the server can do beyond the original protocol, as H tells it.
func (c *Client) Features(ctx context.Context) ([]string, error) {
	connection, err := c.read.take(ctx, false)
	if err != nil {
		return nil, err
	}
	defer c.read.give(connection)
	return append([]string(nil), connection.features...), nil
}

// An executor carries requests out: a Client, or a Tx.
type executor interface {
	do(ctx context.Context, requests []*request) error
	client() *Client
}

func (c *Client) client() *Client { return c }

// Do carries requests out: those that a lost connection leaves unanswered get its error, which is
// returned, too.
func (c *Client) do(ctx context.Context, requests []*request) error {
	change := false
	for _, r := range requests {
		change = change || r.change
	}
	left := requests
	var err error
	for attempt := 0; ; attempt++ {
		var answered int
		var again bool
		answered, again, err = c.attempt(ctx, left, change)
		left = left[answered:]
		if err == nil || !again || attempt >= c.options.Retries {
			break
		}
		if pause(ctx, attempt) != nil {
			break
		}
	}
	for _, r := range left {
		r.done.answer(r, nil, err)
	}
	return err
}

// Attempt sends requests once. Again tells whether it is safe to send the rest again.
func (c *Client) attempt(
	ctx context.Context, requests []*request, change bool,
) (answered int, again bool, err error) {
	for {
		p, connection, err := c.take(ctx, change)
		if err != nil {
			return 0, retryable(err, true), err
		}
		answered, err = c.use(ctx, connection, requests, change)
		reused := connection.reused
		p.give(connection)
		if err == nil {
			return answered, false, nil
		}
		var broken *ConnectionError
		sent := !errors.As(err, &broken) || broken.Sent || answered > 0
		if reused && !sent && retryable(err, true) {
			continue // It was closed while it was idle.
		}
		return answered, retryable(err, !sent || !change), err
	}
}

func (c *Client) use(
	ctx context.Context, connection *conn, requests []*request, change bool,
) (answered int, err error) {
	count := len(requests)
	if change && c.options.ReadYourWrites {
		requests = append(requests[:count:count], c.gtids.ask())
	}
	var extra time.Duration
	for _, r := range requests {
		extra += r.patience
	}
	err = connection.guarded(ctx, c.options.patience(extra), func() error {
		answered, err = connection.exchange(requests)
		return err
	})
	if answered >= count {
		return count, nil // The answers are there, whatever became of the question behind them.
	}
	return answered, err
}

// Only a broken connection is tried again, neither a timeout nor what is no reply.
func retryable(err error, safe bool) bool {
	_, broken := err.(*ConnectionError)
	return safe && broken && !errors.Is(err, errClosed) && !errors.Is(err, context.Canceled)
}

// Pause waits before a reconnect, with full jitter.
func pause(ctx context.Context, attempt int) error {
	longest := 2 * time.Second
	if attempt < 5 {
		longest = 50 * time.Millisecond << attempt
	}
	timer := time.NewTimer(time.Duration(rand.Int63n(int64(longest) + 1)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Take returns a connection for reads, or for changes.
func (c *Client) take(ctx context.Context, change bool) (*place, *conn, error) {
	if change {
		if c.write == nil {
			return nil, nil, &ConfigurationError{Option: "write_socket", What: "it is missing"}
		}
		connection, err := c.write.take(ctx, true)
		return c.write, connection, err
	}
	first := c.turn.Add(1)
	for i := range c.replicas {
		p := c.replicas[(first+uint64(i))%uint64(len(c.replicas))]
		connection, err := p.take(ctx, false)
		if err == nil && c.fresh(ctx, connection) {
			return p, connection, nil
		}
		if err == nil {
			p.give(connection)
		} else if ctx.Err() != nil {
			return nil, nil, err
		}
	}
	connection, err := c.read.take(ctx, false)
	return c.read, connection, err
}
