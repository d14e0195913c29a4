package hs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var background = context.Background()

func check(t *testing.T, got any, err error, want any) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%#v, %v instead of %#v", got, err, want)
	}
}

func TestARowIsReadInPiecesOfAnySize(t *testing.T) {
	for pieces := 1; pieces < len("0\t2\t1\tone\n"); pieces++ {
		f := newFake(t, rows)
		f.pieces = pieces
		row, err := f.client().Table("test.user").Get(background, 1)
		check(t, row, err, Row{"id": int64(1), "name": "one"})
	}
}

// A fake may still be at its answer when the next round begins, so it has a copy of what changes.
func TestAReadIsSentAgainWhereverItsReplyIsCut(t *testing.T) {
	reply := "0\t2\t1\tone\n"
	for length := 0; length < len(reply); length++ {
		part := reply[:length]
		var finds atomic.Int32
		f := newFake(t, func(line string) string {
			if strings.HasPrefix(line, "0\t=") {
				if finds.Add(1) == 1 {
					return part + cut
				}
				return reply
			}
			return "usual"
		})
		row, err := f.client().Table("test.user").Get(background, 1)
		check(t, row, err, Row{"id": int64(1), "name": "one"})
	}
}

func TestAChangeIsNotSentAgainWhereverItsReplyIsCut(t *testing.T) {
	reply := "0\t1\t1\n"
	for length := 0; length < len(reply); length++ {
		part := reply[:length]
		f := newFake(t, func(line string) string {
			if strings.HasPrefix(line, "0\t=") {
				return part + cut
			}
			return "usual"
		})
		_, err := f.client().Table("test.user").Update(background, 1, Row{"name": "x"})
		var broken *ConnectionError
		if !errors.As(err, &broken) || !broken.Sent || f.count("0\t=") != 1 {
			t.Fatalf("%v, sent %d times", err, f.count("0\t="))
		}
	}
}

func TestAReadIsSentAgainAsOftenAsRetriesSays(t *testing.T) {
	f := newFake(t, func(line string) string {
		if strings.HasPrefix(line, "0\t=") {
			return cut
		}
		return "usual"
	})
	client := f.client(func(o *Options) { o.Retries = 3 })
	_, err := client.Table("test.user").Get(background, 1)
	var broken *ConnectionError
	if !errors.As(err, &broken) || f.count("0\t=") != 4 {
		t.Fatalf("%v, sent %d times", err, f.count("0\t="))
	}
}

func TestAConnectionThatWasClosedWhileIdleIsReplacedForAChange(t *testing.T) {
	f := newFake(t, rows)
	client := f.client(func(o *Options) { o.Retries = 0 })
	table := client.Table("test.user")
	if _, err := table.Insert(background, Row{"id": 1}); err != nil {
		t.Fatal(err)
	}
	f.cutAll()
	for { // Until the end has come.
		f.mutex.Lock()
		left := len(f.open)
		f.mutex.Unlock()
		if left == 0 {
			break
		}
	}
	if _, err := table.Insert(background, Row{"id": 2}); err != nil || f.count("0\t+") != 2 {
		t.Fatal(err, f.lines)
	}
}

func TestRawTakesOnlyWhatIsOfNoConnection(t *testing.T) {
	f := newFake(t, func(string) string { return "usual" })
	client := f.client()
	for _, tokens := range [][]string{{"P", "0", "t", "u", "PRIMARY", "a"}, {"0", "=", "1", "1"}, {"T", "B"}, {"A", "1", "x"}} {
		var wrong *ValueError
		if _, err := client.Raw(background, WritePort, tokens...); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", tokens, err)
		}
	}
}

func TestATimeoutClosesTheConnection(t *testing.T) {
	f := newFake(t, func(line string) string {
		if strings.HasPrefix(line, "0\t=") {
			return silence
		}
		return "usual"
	})
	client := f.client(func(o *Options) { o.Timeout = 20 * time.Millisecond })
	_, err := client.Table("test.user", Columns("id"), Raw()).Get(background, 1)
	var late *TimeoutError
	var broken *ConnectionError
	if !errors.As(err, &late) || !errors.As(err, &broken) || f.count("0\t=") != 1 {
		t.Fatal(err)
	}
	if len(client.read.idle) != 0 {
		t.Fatal("the connection was kept")
	}
}

func TestTheEndOfAContextEndsTheCall(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	f := newFake(t, func(line string) string {
		if strings.HasPrefix(line, "0\t=") {
			cancel()
			return silence
		}
		return "usual"
	})
	_, err := f.client().Table("test.user").Get(ctx, 1)
	var broken *ConnectionError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &broken) {
		t.Fatal(err)
	}
}

func TestThePoolHasItsBound(t *testing.T) {
	f := newFake(t, rows)
	client := f.client(func(o *Options) { o.PoolSize = 3 })
	table := client.Table("test.user")
	var group sync.WaitGroup
	for i := 0; i < 50; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 20; j++ {
				if row, err := table.Get(background, 1); err != nil || row["name"] != "one" {
					t.Error(row, err)
				}
			}
		}()
	}
	group.Wait()
	if f.most > 3 {
		t.Errorf("there were %d connections", f.most)
	}
}

func TestThreeHundredIndexesFitInOneConnection(t *testing.T) {
	ids := map[string]string{}
	f := newFake(t, func(line string) string {
		tokens := strings.Split(line, "\t")
		switch {
		case tokens[0] == "P":
			ids[tokens[1]] = tokens[3]
		case tokens[0] != "H":
			return "0\t1\t" + ids[tokens[0]] + "\n"
		}
		return "usual"
	})
	client := f.client()
	for round := 0; round < 2; round++ {
		pipeline := client.Pipeline()
		var results []*Result[Row]
		for i := 0; i < 300; i++ {
			table := client.Table(fmt.Sprintf("test.t%d", i), Columns("a"), Raw())
			results = append(results, pipeline.Get(table, i))
		}
		if err := pipeline.Run(background); err != nil {
			t.Fatal(err)
		}
		for i, result := range results {
			row, err := result.Get()
			check(t, row, err, Row{"a": []byte(fmt.Sprintf("t%d", i))})
		}
	}
	if len(ids) != maxOpen {
		t.Errorf("%d ids", len(ids))
	}
}

// Inserts adds an insert into each of 300 tables, for whose indexes a connection has no room.
func inserts(client *Client, pipeline *Pipeline) []*Result[uint64] {
	var results []*Result[uint64]
	for i := 0; i < 300; i++ {
		table := client.Table(fmt.Sprintf("test.t%d", i), Columns("a"), Raw())
		results = append(results, pipeline.Insert(table, Row{"a": 1}))
	}
	return results
}

func TestAPipelineEndsWithItsConnection(t *testing.T) {
	var changes int32
	f := newFake(t, func(line string) string {
		if strings.Contains(line, "\t+\t") && atomic.AddInt32(&changes, 1) == maxOpen {
			return "1\t1\tmax_memory\n"
		}
		return "usual"
	})
	client := f.client()
	pipeline := client.Pipeline()
	results := inserts(client, pipeline)
	sentAndNoMore(t, pipeline.Run(background), f)
	var overloaded *OverloadedError
	if _, err := results[maxOpen-1].Get(); !errors.As(err, &overloaded) {
		t.Error(err)
	}
	for _, result := range results[maxOpen:] {
		_, err := result.Get()
		sentAndNoMore(t, err, f)
	}
}

func TestAPipelineThatBreaksBehindItsFirstPieceWasSent(t *testing.T) {
	f := newFake(t, func(string) string { return "usual" })
	client := f.client()
	p, c, err := client.take(background, true)
	if err != nil {
		t.Fatal(err)
	}
	c.net = &writer{c.net, 1}
	p.give(c)
	pipeline := client.Pipeline()
	inserts(client, pipeline)
	sentAndNoMore(t, pipeline.Run(background), f)
}

// A writer fails when it has written so often.
type writer struct {
	net.Conn
	left int
}

func (w *writer) Write(bytes []byte) (int, error) {
	if w.left == 0 {
		return 0, net.ErrClosed
	}
	w.left--
	return w.Conn.Write(bytes)
}

func sentAndNoMore(t *testing.T, err error, f *fake) {
	t.Helper()
	var broken *ConnectionError
	if !errors.As(err, &broken) || !broken.Sent || f.count("P") != maxOpen {
		t.Errorf("%v, and %d indexes", err, f.count("P"))
	}
}

func TestARefusedIndexIsTheErrorOfItsCallsAlone(t *testing.T) {
	f := newFake(t, func(line string) string {
		if strings.HasPrefix(line, "P\t") && strings.Contains(line, "nosuch") {
			return "1\t1\topen_table\n"
		} else if line[0] == '0' {
			return "2\t1\tstmtnum\n"
		} else if line[0] == '1' {
			return "0\t1\t5\n"
		}
		return "usual"
	})
	client := f.client()
	pipeline := client.Pipeline()
	none := client.Table("test.nosuch", Columns("id"), Raw())
	bad, worse := pipeline.Get(none, 1), pipeline.Get(none, 2)
	good := pipeline.Get(client.Table("test.user", Columns("id"), Raw()), 5)
	if err := pipeline.Run(background); err != nil {
		t.Fatal(err)
	}
	var missing *NotFoundError
	for _, result := range []*Result[Row]{bad, worse} {
		if _, err := result.Get(); !errors.As(err, &missing) {
			t.Error(err)
		}
	}
	row, err := good.Get()
	check(t, row, err, Row{"id": []byte("5")})
}

func TestAServerOfTheOriginalsKindHasNoFeatures(t *testing.T) {
	f := newFake(t, func(line string) string {
		if line[0] == 'H' {
			return "2\t1\tcmd\n"
		}
		return rows(line)
	})
	client := f.client()
	row, err := client.Table("test.user", Columns("id", "name")).Get(background, 1)
	check(t, row, err, Row{"id": "1", "name": "one"})
	var unsupported *UnsupportedError
	if _, err = client.Table("test.user").Count(background, "=", 1); !errors.As(err, &unsupported) {
		t.Error(err)
	}
	if _, err = client.Table("test.user").Get(background, 1); !errors.As(err, &unsupported) {
		t.Error(err)
	}
}
