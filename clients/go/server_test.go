package hs

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

const spare = 4100000000 // Ids from here on are these tests' own.

func realTable(t testing.TB) (*Client, *Table) {
	if os.Getenv("HS_TEST_READ_PORT") == "" {
		t.Skip("HS_TEST_READ_PORT names no server")
	}
	client, err := Connect("")
	if err != nil {
		t.Fatal(err)
	}
	users := client.Table("test.user")
	t.Cleanup(func() {
		_, err := users.Delete(background, spare, Op(">="), Limit(1000))
		if err != nil {
			t.Error(err)
		}
		client.Close()
	})
	return client, users
}

func TestARealRowIsWrittenAndRead(t *testing.T) {
	_, users := realTable(t)
	born := time.Date(2024, 2, 29, 1, 2, 3, 0, time.UTC)
	row := Row{"user_id": uint64(spare), "user_name": "tab\there\x00\r\n", "user_email": nil, "created": born}
	if _, err := users.Insert(background, row); err != nil {
		t.Fatal(err)
	}
	got, err := users.Get(background, spare)
	check(t, got, err, row)
	_, err = users.Insert(background, row)
	var duplicate *DuplicateKeyError
	var server *ServerError
	if !errors.As(err, &duplicate) || !errors.As(err, &server) || server.Text != "121" {
		t.Error(err)
	}
	done, err := users.Upsert(background, row, Row{"user_name": "again"})
	check(t, done.Did, err, "updated")
	set, err := users.CompareAndSet(background, spare, Row{"user_name": "x"}, Row{"user_name": "y"})
	check(t, set, err, false)
	rows, err := users.Returning(Before).Update(background, spare, Row{"user_name": nil})
	check(t, rows, err, []Row{{"user_name": "again"}})
	pipeline := users.on.client().Pipeline()
	before := pipeline.Returning(users, Before).Update(spare, Row{"user_name": "more"})
	after := pipeline.Returning(users, After).Update(spare, Row{"user_name": nil})
	err = pipeline.Run(background)
	check(t, []any{before.value, after.value}, err, []any{[]Row{{"user_name": nil}}, []Row{{"user_name": nil}}})
	replaced, err := users.Replace(background, Row{"user_id": spare})
	check(t, replaced.Rows, err, int64(1))
	count, err := users.Delete(background, spare)
	check(t, count, err, int64(1))
}

func TestARealRangePages(t *testing.T) {
	client, users := realTable(t)
	pipeline := client.Pipeline()
	for i := 0; i < 100; i++ {
		pipeline.Insert(users, Row{"user_id": spare + i})
	}
	if err := pipeline.Run(background); err != nil {
		t.Fatal(err)
	}
	for _, page := range []int{1, 7, 100, 1000} {
		var ids []string
		rows := client.Table("test.user", Columns("user_name")).Range(
			background, From(spare+10), To(spare+90), Page(page), Filtered(Where("user_id", "!=", spare+50)))
		for rows.Next() {
			ids = append(ids, fmt.Sprint(rows.Row()))
		}
		check(t, len(ids), rows.Err(), 79)
		down := users.Range(background, From(spare+90), To(spare+10), Reverse(), Page(page))
		for want := uint64(spare + 90); down.Next(); want-- {
			check(t, down.Row()["user_id"], nil, want)
		}
	}
}

func TestARealTransactionIsCommittedOrRolledBack(t *testing.T) {
	client, users := realTable(t)
	insert := func(end error) error {
		return client.Transaction(background, TxOptions{}, func(tx *Tx) error {
			if _, err := users.On(tx).Insert(background, Row{"user_id": spare}); err != nil {
				return err
			}
			return end
		})
	}
	if err := insert(errNotRun); err != errNotRun {
		t.Fatal(err)
	}
	there, err := users.Exists(background, spare)
	check(t, there, err, false)
	if err = insert(nil); err != nil {
		t.Fatal(err)
	}
	there, err = users.Exists(background, spare)
	check(t, there, err, true)
}

func TestManyGoroutinesShareARealClient(t *testing.T) {
	client, users := realTable(t)
	var group sync.WaitGroup
	for i := 0; i < 100; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			pipeline := client.Pipeline()
			pipeline.Insert(users, Row{"user_id": spare + i, "user_name": fmt.Sprint(i)})
			found := pipeline.Get(users, spare+i)
			if err := pipeline.Run(background); err != nil {
				t.Error(err)
			}
			if row, err := found.Get(); err != nil || row["user_name"] != fmt.Sprint(i) {
				t.Error(row, err)
			}
		}(i)
	}
	group.Wait()
}
