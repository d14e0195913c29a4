package hs

import (
	"context"
	"errors"
	"strings"
	"testing"

	"handlersocket2.org/client/v2/protocol"
)

type work func(t *Table) error

var rowCalls = map[string]work{
	"get":      func(t *Table) error { _, err := t.Get(context.Background(), 1); return err },
	"get many": func(t *Table) error { _, err := t.GetMany(context.Background(), []any{1}); return err },
	"find":     func(t *Table) error { _, err := t.Find(context.Background(), ">=", 1, Limit(9)); return err },
	"struct": func(t *Table) error {
		_, err := Get[struct {
			ID   int    `hs:"id"`
			Name string `hs:"name"`
		}](context.Background(), t, 1)
		return err
	},
	"inserted": func(t *Table) error {
		_, err := t.Returning(After).Insert(context.Background(), Row{"id": 1, "name": "a"})
		return err
	},
	"updated": func(t *Table) error {
		_, err := t.Returning(After).Update(context.Background(), 1, Row{"id": 1, "name": "a"})
		return err
	},
	"deleted": func(t *Table) error { _, err := t.Returning(Before).Delete(context.Background(), 1); return err },
}

var numberCalls = map[string]work{
	"count":     func(t *Table) error { _, err := t.Count(context.Background(), "=", 1); return err },
	"exists":    func(t *Table) error { _, err := t.Exists(context.Background(), 1); return err },
	"update":    func(t *Table) error { _, err := t.Update(context.Background(), 1, Row{"name": "a"}); return err },
	"delete":    func(t *Table) error { _, err := t.Delete(context.Background(), 1); return err },
	"increment": func(t *Table) error { _, err := t.Increment(context.Background(), 1, Row{"id": 1}); return err },
	"ignore":    func(t *Table) error { _, err := t.InsertIgnore(context.Background(), Row{"id": 1}); return err },
	"upsert":    func(t *Table) error { _, err := t.Upsert(context.Background(), Row{"id": 1}, nil); return err },
	"replace":   func(t *Table) error { _, err := t.Replace(context.Background(), Row{"id": 1}); return err },
}

// RefuseAll expects that no call takes any of the lies for an answer, and that each ends its connection.
func refuseAll(t *testing.T, calls map[string]work, lies ...string) {
	t.Helper()
	for _, lie := range lies {
		reply := lie + "\n"
		server := newFake(t, func(line string) string {
			if strings.HasPrefix(line, "0\t") {
				return reply
			}
			return "usual"
		})
		client := server.client()
		for name, call := range calls {
			for range [2]int{} {
				before := server.count("H")
				err := call(client.Table("test.user", Columns("id", "name"), Raw()))
				var refused *protocol.ReplyError
				if !errors.As(err, &refused) {
					t.Errorf("%s took %q: %v", name, lie, err)
				}
				if server.count("H") == before {
					t.Errorf("a connection was kept in front of %s and %q", name, lie)
				}
			}
		}
	}
}

func TestRowsOfAnotherWidthAreNoRows(t *testing.T) {
	refuseAll(t, rowCalls, "0\t1\t1", "0\t1", "0\t3", "0\t3\t1\t2\t3", "0\t0")
}

func TestGetTakesOneRow(t *testing.T) {
	refuseAll(t, map[string]work{"get": rowCalls["get"], "struct": rowCalls["struct"]}, "0\t2\t1\ta\t2\tb")
}

func TestWhatHasOtherThanDigitsIsNoCount(t *testing.T) {
	refuseAll(t, numberCalls, "0\t1", "0\t1\t-5", "0\t1\t1_0", "0\t1\t 1", "0\t1\tabc", "0\t1\t", "0\t1\t\x00",
		"0\t1\t+1", "0\t1\t1e26", "0\t1\t"+strings.Repeat("9", 21))
}

func TestACountIsOneValue(t *testing.T) {
	refuseAll(t, numberCalls, "0\t1\t1\t1", "0\t3\t1\t1\t1")
}

func TestWhatIsNoIDIsNone(t *testing.T) {
	insert := func(t *Table) error { _, err := t.Insert(context.Background(), Row{"name": "a"}); return err }
	refuseAll(t, map[string]work{"insert": insert},
		"0\t1\tabc", "0\t1\t-1", "0\t2\t1\t1", "0\t1\t1\t1", "0\t1\t\x00")
}
