package hs

import (
	"context"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"handlersocket2.org/client/v2/protocol"
)

// The GTIDs of the client's own last changes: MariaDB's (domain-server-number) one for each domain,
// MySQL's (uuid:number or uuid:tag:number) one for each UUID and tag.
type gtids struct {
	mutex sync.Mutex
	last  map[string]string
}

func (g *gtids) add(gtid string) {
	source, number := sequence(gtid)
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if _, known := sequence(g.last[source]); number <= known {
		return
	}
	if g.last == nil {
		g.last = map[string]string{}
	}
	g.last[source] = gtid
}

// Sequence returns what numbers the changes, and the number: 0 when it is no GTID.
func sequence(gtid string) (source string, number uint64) {
	colon := strings.LastIndexByte(gtid, ':')
	at := colon
	if colon < 0 {
		at = strings.LastIndexByte(gtid, '-')
	}
	number, err := strconv.ParseUint(gtid[at+1:], 10, 64)
	switch {
	case err != nil || at < 0:
		return "", 0
	case colon < 0:
		source, _, _ = strings.Cut(gtid, "-")
		return source, number
	}
	return gtid[:colon], number
}

func (g *gtids) String() string {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	all := make([]string, 0, len(g.last))
	for _, gtid := range g.last {
		all = append(all, gtid)
	}
	sort.Strings(all)
	return strings.Join(all, ",")
}

// Ask is the request that learns the GTID of what was sent before it.
func (g *gtids) ask() *request {
	return &request{
		body: []byte("G\tL"), needs: "gtid",
		done: receiverFunc(func(reply *protocol.Reply, err error) error {
			if err == nil && reply.Len() == 1 { // A server without a binary log has none.
				g.add(string(reply.Values()[0]))
			}
			return err
		}),
	}
}

// LastGTID returns the GTID of the last change of this client, several with commas when there are
// several domains, or the empty text. A change in a call that has not ended does not count.
func (c *Client) LastGTID(ctx context.Context) (string, error) {
	if c.write == nil {
		return "", nil
	}
	var failed error
	for _, connection := range c.write.takeChanged() {
		question := c.gtids.ask()
		learn := question.done
		question.done = receiverFunc(func(reply *protocol.Reply, err error) error {
			if err = learn.answer(question, reply, err); err != nil {
				failed = err
			}
			return err
		})
		err := connection.guarded(ctx, c.options.Timeout, func() error {
			_, err := connection.exchange([]*request{question})
			return err
		})
		if connection.changed = err != nil; err != nil {
			failed = err
		}
		c.write.give(connection)
	}
	return c.gtids.String(), failed
}

// WaitForGTID waits on the read port until the GTIDs are applied there, and tells whether they are.
func (c *Client) WaitForGTID(ctx context.Context, gtid string, limit time.Duration) (bool, error) {
	line, err := protocol.AppendWaitGTID(nil, gtid, int(limit.Milliseconds()))
	if err != nil {
		return false, err
	}
	return run(ctx, c, func(_ context.Context, r *request) (decoder[bool], error) {
		r.kind, r.body, r.needs, r.patience = "wait_for_gtid", trimLine(line), "gtid", limit
		return func(reply *protocol.Reply) (bool, error) {
			return isOne(reply), nil
		}, nil
	})
}

// Fresh tells whether a replica has the client's own last change.
func (c *Client) fresh(ctx context.Context, replica *conn) bool {
	if !c.options.ReadYourWrites {
		return true
	}
	wanted := c.gtids.String()
	if wanted == "" || wanted == replica.applied {
		return true
	}
	limit := c.options.GTIDTimeout
	line, err := protocol.AppendWaitGTID(nil, wanted, int(limit.Milliseconds()))
	if err != nil || !replica.has("gtid") {
		return false
	}
	applied := false
	err = replica.guarded(ctx, c.options.patience(limit), func() error {
		return replica.talk(line, 1, func(_ int, reply *protocol.Reply) error {
			applied = reply.Code == 0 && isOne(reply)
			return nil
		})
	})
	if err != nil || !applied {
		return false
	}
	replica.applied = wanted
	return true
}
