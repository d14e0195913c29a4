package hs

import (
	"context"
	"errors"
	"runtime"
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
	"deleted in a pipeline": func(t *Table) error {
		pipeline := t.on.client().Pipeline()
		deleted := pipeline.Returning(t, Before).Delete(1)
		_ = pipeline.Run(context.Background()) // The call has the error, too.
		_, err := deleted.Get()
		return err
	},
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
	refuseTo(t, "0\t", calls, lies...)
}

// RefuseTo lies to requests with this beginning.
func refuseTo(t *testing.T, request string, calls map[string]work, lies ...string) {
	t.Helper()
	for _, lie := range lies {
		reply := lie + "\n"
		server := newFake(t, func(line string) string {
			if strings.HasPrefix(line, request) {
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

func TestWhatWasAddedIsANumberThatItsVerbHas(t *testing.T) {
	for name, lies := range map[string][]string{
		"ignore": {"0\t1\t2", "0\t2\t1\tabc"}, "upsert": {"0\t1\t3"},
		"replace": {"0\t1\t0", "0\t2\t1\t99999999999999999999"},
	} {
		refuseAll(t, map[string]work{name: numberCalls[name]}, lies...)
	}
}

func TestNumbersHave64Bits(t *testing.T) {
	refuseAll(t, map[string]work{"count": numberCalls["count"]}, "0\t1\t9223372036854775808")
	insert := func(t *Table) error { _, err := t.Insert(context.Background(), Row{"name": "a"}); return err }
	refuseAll(t, map[string]work{"insert": insert}, "0\t1\t18446744073709551616")
}

func TestAnIndexIsOpenedWithNothingToTell(t *testing.T) {
	refuseTo(t, "P", map[string]work{"get": rowCalls["get"]}, "0\t3\ta\tb\tc", "0\t1\t1")
}

func TestATransactionBeginsAndEndsWithNothingToTell(t *testing.T) {
	empty := func(t *Table) error {
		return t.on.client().Transaction(context.Background(), TxOptions{}, func(*Tx) error { return nil })
	}
	for _, request := range []string{"T\tB", "T\tC"} {
		refuseTo(t, request, map[string]work{"transaction": empty}, "0\t1\t5", "0\t2\t5\t6")
	}
}

func TestWhatItsColumnCannotHoldIsNoValue(t *testing.T) {
	typed := func(t *Table) error {
		_, err := t.on.client().Table("test.user", Columns("id", "name")).Get(context.Background(), 1)
		return err
	}
	for _, value := range []string{"", " 1", "+1", "1_0", "1.5", "abc", strings.Repeat("9", 21)} {
		refuseAll(t, map[string]work{"get": typed}, "0\t2\t"+value+"\ta")
	}
}

func TestFloatsAndTimesAreWhatSQLWrites(t *testing.T) {
	for kind, values := range map[protocol.Kind][]string{
		protocol.Float: {"", "nan", "inf", "0x1p4", "1_0", "+1", "1e999"}, protocol.Time: {"", "1", "1:x:3", "01:02"},
	} {
		for _, value := range values {
			if got, err := typedValue(columnKind{kind: kind}, []byte(value)); err == nil {
				t.Errorf("%q is read as the %s %v", value, kind, got)
			}
		}
	}
}

func TestTheColumnsOfATableThatWasAlteredAreAskedForAgain(t *testing.T) {
	server := newFake(t, func(line string) string {
		if strings.HasPrefix(line, "0\t=") {
			return "0\t2\tabc\ta\n"
		}
		return "usual"
	})
	table := server.client().Table("test.user", Columns("id", "name"))
	for asked := 1; asked < 3; asked++ {
		if row, err := table.Get(context.Background(), 1); !isProtocolError(err) || server.count("D") != asked {
			t.Errorf("%v, %v; the columns were asked for %d times", row, err, server.count("D"))
		}
	}
}

func TestAValueThatTheProgramsFieldCannotHoldKeepsTheConnection(t *testing.T) {
	server := newFake(t, func(line string) string {
		if strings.HasPrefix(line, "0\t=") {
			return "0\t2\t300\t\x00\n"
		}
		return "usual"
	})
	table := server.client().Table("test.user", Columns("id", "name"))
	for range [2]int{} {
		_, narrow := Get[struct {
			ID int8 `hs:"id"`
		}](context.Background(), table, 1)
		_, null := Get[struct {
			Name string `hs:"name"`
		}](context.Background(), table, 1)
		for _, err := range []error{narrow, null} {
			var wrong *ValueError
			if !errors.As(err, &wrong) {
				t.Errorf("%v", err)
			}
		}
	}
	if server.count("H") != 1 {
		t.Errorf("there were %d connections", server.count("H"))
	}
}

func TestATextIsNoNumberWithoutAnEnd(t *testing.T) {
	for _, text := range []string{"inf", "NaN", "0x1p4", "+1", "1e999"} {
		server := newFake(t, func(line string) string {
			if strings.HasPrefix(line, "0\t=") {
				return "0\t1\t" + text + "\n"
			}
			return "usual"
		})
		found, err := Get[struct {
			Name float64 `hs:"name"`
		}](context.Background(), server.client().Table("test.user", Columns("name")), 1)
		var wrong *ValueError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v, %v", text, found, err)
		}
	}
}

func TestAReplyBehindOneToSomethingElseIsNone(t *testing.T) {
	server := newFake(t, func(line string) string {
		switch {
		case strings.HasPrefix(line, "0\t=\t1\t1"):
			return "0\t3\t1\t2\t3\n"
		case strings.HasPrefix(line, "0\t=\t1\t2"):
			return "0\t2\t1\tone\n"
		}
		return "usual"
	})
	client := server.client()
	table := client.Table("test.user", Columns("id", "name"), Raw())
	pipeline := client.Pipeline()
	wrong, behind := pipeline.Get(table, 1), pipeline.Get(table, 2)
	err := pipeline.Run(context.Background())
	_, first := wrong.Get()
	row, second := behind.Get()
	if !isProtocolError(err) || !isProtocolError(first) || !isProtocolError(second) {
		t.Errorf("%v, %v, %v, %v", err, first, row, second)
	}
}

// The list of its values would take 384 MiB.
func TestAReplyOfManyEmptyValuesIsRefusedBeforeTheyAreListed(t *testing.T) {
	many := "0\t2\t" + strings.Repeat("\t", 1<<24-1) + "\n"
	server := newFake(t, func(line string) string {
		if strings.HasPrefix(line, "0\t=") {
			return many
		}
		return "usual"
	})
	table := server.client().Table("test.user", Columns("id", "name"), Raw())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := table.Get(context.Background(), 1)
	runtime.ReadMemStats(&after)
	if !isProtocolError(err) {
		t.Error(err)
	}
	// The reader's buffer doubles until it has the reply, and so does the fake's.
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 8*16 {
		t.Errorf("it took %d MiB", used)
	}
}
