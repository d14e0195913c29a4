package hs

import (
	"context"
	"strings"

	"handlersocket2.org/client/v2/protocol"
)

// A Port is one of the two of a server.
type Port string

// The ports.
const (
	ReadPort  Port = "read"
	WritePort Port = "write"
)

// A RawReply is a line of the server. NULL is nil.
type RawReply struct {
	Code, Columns int
	Values        [][]byte
}

// Raw sends one line as it is, its tokens joined by TABs, and returns the reply, be it an error or not. It
// is for what has no call here and belongs to no connection, as an index, a login or a transaction does. On
// the write port it is never sent again.
func (c *Client) Raw(ctx context.Context, port Port, tokens ...string) (*RawReply, error) {
	if port != ReadPort && port != WritePort {
		return nil, &ValueError{What: "a port is read or write"}
	}
	return runRaw(ctx, c, port == WritePort, tokens)
}

// Raw sends one line as it is on the transaction's connection.
func (tx *Tx) Raw(ctx context.Context, tokens ...string) (*RawReply, error) {
	return runRaw(ctx, tx, true, tokens)
}

func runRaw(ctx context.Context, on executor, change bool, tokens []string) (*RawReply, error) {
	line := strings.Join(tokens, "\t")
	if strings.Contains(line, "\n") {
		return nil, &ValueError{What: "a token has the end of a line in it"}
	}
	if line != "" && strings.IndexByte("0123456789APT", line[0]) >= 0 {
		return nil, &ValueError{What: "an index, a login and a transaction are of one connection, which raw has not"}
	}
	return run(ctx, on, func(_ context.Context, r *request) (decoder[*RawReply], error) {
		r.kind, r.body, r.change, r.raw = "raw", []byte(line), change, true
		return copyReply, nil
	})
}

func copyReply(reply *protocol.Reply) (*RawReply, error) {
	if reply.Code != 0 {
		return &RawReply{reply.Code, reply.Columns, [][]byte{[]byte(reply.Text)}}, nil
	}
	size := 0
	for _, value := range reply.Values() {
		size += len(value)
	}
	bytes := make([]byte, 0, size)
	values := make([][]byte, reply.Len())
	for i, value := range reply.Values() {
		if value == nil {
			continue
		}
		start := len(bytes)
		bytes = append(bytes, value...)
		values[i] = bytes[start:len(bytes):len(bytes)]
	}
	return &RawReply{reply.Code, reply.Columns, values}, nil
}
