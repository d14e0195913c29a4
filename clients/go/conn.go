package hs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"handlersocket2.org/client/v2/protocol"
)

// A conn is one connection with its open indexes. It is for one goroutine at a time.
type conn struct {
	net    net.Conn
	secure bool // A Unix socket, or TLS whose certificate was looked at.
	reader protocol.Reader
	out    []byte
	steps  []step // Memory for the next exchange, as out is.

	greeted  bool // The server has told its features; else it is of the original's kind, or wants a login.
	original bool
	features []string

	open     map[string]*opened
	free     []int // Ids whose index was refused.
	uses     uint64
	broken   bool
	reused   bool
	changed  bool   // There was a change since its GTID was asked for.
	applied  string // The GTIDs that this replica is known to have.
	idleFrom time.Time
	doubtful bool      // Another one of its place has ended since it was used.
	deadline time.Time // That of the socket; zero where it is not known.
}

// An endpoint is where connections of a place go to.
type endpoint struct {
	network, address, secret string
}

func timedOut(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

func dial(ctx context.Context, o *Options, to endpoint) (*conn, error) {
	if o.ConnectTimeout > 0 {
		limited, cancel := context.WithTimeout(ctx, o.ConnectTimeout)
		defer cancel()
		ctx = limited
	}
	var dialer net.Dialer // Keep-alive is on, and Nagle's algorithm off.
	socket, err := dialer.DialContext(ctx, to.network, to.address)
	if err != nil {
		return nil, connectionError(err, false)
	}
	c := &conn{net: socket, secure: to.network == "unix", open: map[string]*opened{}}
	if o.TLS != "off" {
		if err = c.startTLS(ctx, o, to); err != nil {
			socket.Close()
			return nil, err
		}
	}
	if err = c.guarded(ctx, 0, func() error { return c.login(o, to.secret) }); err != nil {
		c.net.Close()
		var broken *ConnectionError
		if errors.As(err, &broken) {
			broken.Err = fmt.Errorf("no connection to %s: %w", to.address, broken.Err)
		}
		return nil, notSent(err)
	}
	return c, nil
}

func (c *conn) startTLS(ctx context.Context, o *Options, to endpoint) error {
	config, err := tlsConfig(o, to)
	if err != nil {
		return err
	}
	client := tls.Client(c.net, config)
	if err = client.HandshakeContext(ctx); err != nil {
		return connectionError(fmt.Errorf("no TLS with %s: %w", to.address, err), false)
	}
	c.net = client
	c.secure = c.secure || o.TLS == "verify"
	return nil
}

func tlsConfig(o *Options, to endpoint) (*tls.Config, error) {
	config := &tls.Config{ServerName: o.TLSName, InsecureSkipVerify: o.TLS == "require"}
	if config.ServerName == "" {
		config.ServerName = o.Host
		if host, _, err := net.SplitHostPort(to.address); err == nil && to.network == "tcp" {
			config.ServerName = host
		}
	}
	if o.TLSCA != "" {
		pem, err := os.ReadFile(o.TLSCA)
		if err != nil {
			return nil, &ConfigurationError{Option: "tls_ca", What: err.Error()}
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &ConfigurationError{Option: "tls_ca", What: "there is no certificate in it"}
		}
	}
	if o.TLSCert != "" || o.TLSKey != "" {
		pair, err := tls.LoadX509KeyPair(o.TLSCert, o.TLSKey)
		if err != nil {
			return nil, &ConfigurationError{Option: "tls_cert", What: err.Error()}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// What fails before a request was written has not sent it.
func notSent(err error) error {
	var broken *ConnectionError
	if errors.As(err, &broken) {
		broken.Sent = false
	}
	return err
}

// Guarded runs an exchange that ends when the context does, or after the timeout; 0: none.
func (c *conn) guarded(ctx context.Context, timeout time.Duration, exchange func() error) error {
	if err := ctx.Err(); err != nil {
		return connectionError(err, false)
	}
	deadline, limited := ctx.Deadline()
	if timeout > 0 {
		if end := time.Now().Add(timeout); !limited || end.Before(deadline) {
			deadline = end
		}
	}
	if err := c.setDeadline(ctx, deadline, timeout); err != nil {
		c.broken = true
		return connectionError(err, false)
	}
	stop := c.watch(ctx)
	err := exchange()
	stop()
	if err != nil && ctx.Err() != nil {
		var broken *ConnectionError
		if errors.As(err, &broken) {
			return connectionError(ctx.Err(), broken.Sent)
		}
	}
	return err
}

// SetDeadline bounds the exchange. Where it is the timeout's alone it may be later by an eighth of it, so that
// most exchanges need not move it.
func (c *conn) setDeadline(ctx context.Context, deadline time.Time, timeout time.Duration) error {
	if ctx.Done() != nil || timeout == 0 {
		c.deadline = time.Time{} // Watch may move it.
		return c.net.SetDeadline(deadline)
	}
	if late := c.deadline.Sub(deadline); 0 <= late && late <= timeout/8 {
		return nil
	}
	c.deadline = deadline.Add(timeout / 8)
	return c.net.SetDeadline(c.deadline)
}

// Watch breaks off reads and writes when the context is cancelled, until the returned function is called.
func (c *conn) watch(ctx context.Context) (stop func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	finished, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-ctx.Done():
			c.net.SetDeadline(time.Unix(1, 0)) //nolint:errcheck // It is about to be closed.
		case <-finished:
		}
	}()
	return func() {
		close(finished)
		<-ended
	}
}

// Receive reads one reply.
func (c *conn) receive() (*protocol.Reply, error) {
	for {
		reply, err := c.reader.Next()
		if err != nil {
			return nil, connectionError(err, true)
		}
		if reply != nil {
			return reply, nil
		}
		n, err := c.net.Read(c.reader.Space())
		c.reader.Filled(n)
		if err != nil && n == 0 {
			return nil, connectionError(fmt.Errorf("the connection broke: %w", err), true)
		}
	}
}

// A handler gets the replies in their order. Its error says that one is a reply to something else: then nobody knows
// what the next ones are replies to.
type handler func(i int, reply *protocol.Reply) error

// Talk writes lines and reads a reply to each.
func (c *conn) talk(lines []byte, count int, handle handler) error {
	const fitsSocket = 64 << 10 // More is written while replies are read, so that nobody waits for ever.
	var written chan error
	if len(lines) <= fitsSocket {
		if err := c.write(lines); err != nil {
			c.broken = true
			return err
		}
	} else {
		written = make(chan error, 1)
		go func() { written <- c.write(lines) }()
	}
	err := c.receiveAll(count, handle)
	if written != nil {
		if err != nil {
			c.net.Close() // So that the writing ends.
		}
		if failed := <-written; err == nil {
			err = failed
		}
	}
	// Replies that nobody has asked for are not to be taken for those of the next request.
	c.broken = c.broken || err != nil || c.reader.Buffered() != 0
	return err
}

func (c *conn) write(lines []byte) error {
	n, err := c.net.Write(lines)
	if err == nil {
		return nil
	}
	_, encrypted := c.net.(*tls.Conn)
	return connectionError(fmt.Errorf("the connection broke: %w", err), n > 0 || encrypted)
}

func (c *conn) receiveAll(count int, handle handler) error {
	for i := 0; i < count; i++ {
		reply, err := c.receive()
		if err != nil {
			return err
		}
		if reply.Code != 0 && endsConnection(reply.Text) {
			c.broken = true
		}
		if err = handle(i, reply); err != nil {
			return err
		}
	}
	return nil
}
