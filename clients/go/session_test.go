package hs

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestAnAccountAnswersItsChallenge(t *testing.T) {
	f := newFake(t, func(line string) string {
		switch {
		case strings.HasPrefix(line, "A\t2\tmax\tmysql_native_password,unix_socket"):
			return "0\t2\tmysql_native_password\t0102030405060708090a0b0c0d0e0f1011121314\n"
		case strings.HasPrefix(line, "A\t3\t") && len(line) == 44:
			return "0\t1\n"
		case line[0] == 'A':
			return "3\t1\tunauth\n"
		}
		return rows(line)
	})
	client := f.client(func(o *Options) { o.User, o.Password = "max", "secret" })
	row, err := client.Table("test.user").Get(background, 1)
	check(t, row["name"], err, "one")
	if f.lines[1][0] != 'A' || f.lines[2][0] != 'H' {
		t.Error(f.lines)
	}
}

func TestALoginThatIsRefusedIsAnAuthenticationError(t *testing.T) {
	for _, set := range []func(*Options){
		func(o *Options) { o.User = "max" },
		func(o *Options) { o.Secret = "x" },
	} {
		f := newFake(t, func(line string) string {
			if line[0] == 'A' {
				return "3\t1\tunauth\n"
			}
			return "usual"
		})
		var refused *AuthenticationError
		if err := f.client(set).Ping(background); !errors.As(err, &refused) || f.count("A") != 1 {
			t.Errorf("%v, %q", err, f.lines)
		}
	}
}

func TestAServerThatHasTooManyConnectionsSaysSo(t *testing.T) {
	f := newFake(t, func(string) string { return "1\t1\ttoo_many_connections\n" + cut })
	var overloaded *OverloadedError
	if err := f.client().Ping(background); !errors.As(err, &overloaded) {
		t.Error(err)
	}
}

func TestAConnectionThatFailsTellsItsPlace(t *testing.T) {
	for _, tls := range []string{"off", "require"} {
		f := newFake(t, func(string) string { return "hello\n" })
		client := f.client(func(o *Options) { o.TLS, o.Retries = tls, 0 })
		place := fmt.Sprintf(" 127.0.0.1:%d: ", client.options.Port)
		if err := client.Ping(background); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", tls, err)
		}
	}
}

func TestATransactionThatFailsIsRolledBack(t *testing.T) {
	f := newFake(t, rows)
	client := f.client()
	err := client.Transaction(background, TxOptions{Isolation: "SR"}, func(tx *Tx) error {
		_, err := tx.Table("test.user").Insert(background, Row{"id": 1})
		if err != nil {
			t.Error(err)
		}
		return errNotRun
	})
	if err != errNotRun || f.count("T\tB\tSR") != 1 || f.count("T\tR") != 1 || f.count("T\tC") != 0 {
		t.Error(err, f.lines)
	}
	func() {
		defer func() { recover() }()
		client.Transaction(background, TxOptions{}, func(*Tx) error { panic("") }) //nolint:errcheck
	}()
	if len(client.write.slots) != 0 || len(client.write.idle) != 0 {
		t.Error("the connection of the transaction that panicked was kept")
	}
}

func TestATransactionThatIsLostSaysSoAtItsEnd(t *testing.T) {
	f := newFake(t, func(line string) string {
		if line == "T\tC" {
			return "1\t1\ttransaction_lost\n"
		}
		return "usual"
	})
	err := f.client().Transaction(background, TxOptions{}, func(*Tx) error { return nil })
	var lost *TransactionLostError
	if !errors.As(err, &lost) {
		t.Error(err)
	}
}

func TestAReadOnAReplicaWaitsForTheClientsOwnChange(t *testing.T) {
	answer := func(applied string) func(string) string {
		return func(line string) string {
			switch {
			case line == "G\tL":
				return "0\t1\t0-1-7\n"
			case strings.Contains(line, "\tU\t"):
				return "0\t1\t1\n"
			case strings.HasPrefix(line, "G\tW\t0-1-7"):
				return "0\t1\t" + applied + "\n"
			}
			return rows(line)
		}
	}
	for _, c := range []struct {
		applied          string
		replica, primary int
	}{{"1", 2, 0}, {"0", 0, 2}} {
		primary, replica := newFake(t, answer("1")), newFake(t, answer(c.applied))
		client := primary.client(func(o *Options) {
			o.Replicas, o.ReadYourWrites = []string{join("127.0.0.1", replica.port())}, true
		})
		users := client.Table("test.user")
		if _, err := users.Update(background, 1, Row{"name": "one"}); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 2; i++ {
			row, err := users.Get(background, 1)
			check(t, row["name"], err, "one")
		}
		if replica.count("0\t=\t1\t1") != c.replica || primary.count("0\t=\t1\t1") != c.primary+1 {
			t.Errorf("%q, %q", replica.lines, primary.lines)
		}
	}
}

func TestAReplicaThatIsAwayLeavesItsReadsToTheOthers(t *testing.T) {
	primary, away := newFake(t, rows), newFake(t, rows)
	away.listener.Close()
	client := primary.client(func(o *Options) {
		o.Replicas = []string{join("127.0.0.1", away.port())}
	})
	row, err := client.Table("test.user").Get(background, 1)
	check(t, row["name"], err, "one")
}

func TestALargePipelineIsReadWhileItIsWritten(t *testing.T) {
	value := strings.Repeat("x", 1000)
	f := newFake(t, func(line string) string {
		if strings.HasPrefix(line, "0\t=") {
			return "0\t1\t" + value + "\n"
		}
		return "usual"
	})
	client := f.client()
	table := client.Table("test.user", Columns("name"), Raw())
	pipeline := client.Pipeline()
	results := make([]*Result[Row], 10000)
	for i := range results {
		results[i] = pipeline.Get(table, value)
	}
	if err := pipeline.Run(background); err != nil {
		t.Fatal(err)
	}
	for _, result := range results {
		row, err := result.Get()
		check(t, row, err, Row{"name": []byte(value)})
	}
}

func TestTheHookSeesEachCall(t *testing.T) {
	var seen []string
	f := newFake(t, rows)
	client := f.client(func(o *Options) { o.OnRequest = recordInto(&seen) })
	_, err := client.Table("test.user", Columns("id", "name"), Raw()).Get(background, 1)
	check(t, seen, err, []string{"get test.user"})
}

func TestAPageEndsBehindTextThatIsTheSameToTheServer(t *testing.T) {
	pages := []string{"0\t2\t1\tb\t2\tB\n", "0\t2\t3\tb\n"}
	f := newFake(t, func(line string) string {
		switch {
		case strings.HasSuffix(line, "\tI"):
			return "0\t6\tn\t1\tname\t0\tA\t\x00\n"
		case strings.HasPrefix(line, "1\t=\t1\tB\t1\t0\tF\t=\t0\tb\tC"):
			return "0\t1\t1\n"
		case strings.HasPrefix(line, "0\t>="):
			page := pages[0]
			pages = pages[1:]
			return page
		}
		return "usual"
	})
	rows := f.client().Table("test.user", Index("n")).Range(background, Page(2))
	count := 0
	for rows.Next() {
		count++
	}
	check(t, count, rows.Err(), 3)
	if f.count("0\t>=\t1\tB\t2\t2") != 1 {
		t.Errorf("%q", f.lines)
	}
}

func TestANameThatCannotBeSentIsRefused(t *testing.T) {
	client := newFake(t, rows).client()
	for _, table := range []*Table{
		client.Table("a\tb.c"), client.Table("user"), client.Table("test.user", Columns("a,b")),
	} {
		_, err := table.Get(background, 1)
		var wrong *ValueError
		if !errors.As(err, &wrong) {
			t.Error(err)
		}
	}
}
