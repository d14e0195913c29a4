package hs_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	hs "handlersocket2.org/client/v2"
)

// A User is a row of the sample table test.user.
type User struct {
	ID   uint32  `hs:"user_id"`
	Name *string `hs:"user_name"`
}

func Example() {
	client, err := hs.Connect("") // The URL of HS_URL.
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	row, err := client.Table("test.user").Get(context.Background(), 101)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(row["user_name"])
	// Output: Yukari Takeba
}

func ExampleGet() {
	client, err := hs.Connect("")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	user, err := hs.Get[User](context.Background(), client.Table("test.user"), 101)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(user.ID, *user.Name)
	// Output: 101 Yukari Takeba
}

func ExampleTable_Insert() {
	client, err := hs.Connect("")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	_, err = client.Table("test.user").Insert(context.Background(), hs.Row{"user_id": 101})
	var duplicate *hs.DuplicateKeyError
	fmt.Println(errors.As(err, &duplicate))
	// Output: true
}

func ExampleTable_Range() {
	client, err := hs.Connect("")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	users := client.Table("test.user", hs.Columns("user_name"))
	rows := users.Range(context.Background(), hs.From(101), hs.To(102))
	for rows.Next() {
		fmt.Println(rows.Row()["user_name"])
	}
	fmt.Println(rows.Err())
	// Output:
	// Yukari Takeba
	// <nil>
}

func ExampleClient_Pipeline() {
	client, err := hs.Connect("")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	users := client.Table("test.user")
	pipeline := client.Pipeline()
	one, rows := pipeline.Get(users, 101), pipeline.Count(users, "=", 101)
	if err := pipeline.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	row, err := one.Get()
	fmt.Println(row["user_name"], err)
	fmt.Println(rows.Get())
	// Output:
	// Yukari Takeba <nil>
	// 1 <nil>
}

func ExamplePipelineGet() {
	client, err := hs.Connect("")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	users := client.Table("test.user")
	pipeline := client.Pipeline()
	one, none := hs.PipelineGet[User](pipeline, users, 101), hs.PipelineGet[User](pipeline, users, 999999)
	rows := hs.PipelineFind[User](pipeline, users, ">=", 101, hs.Limit(2))
	if err := pipeline.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	user, err := one.Get()
	fmt.Println(*user.Name, err)
	fmt.Println(none.Get())
	found, err := rows.Get()
	fmt.Println(len(found), err)
	// Output:
	// Yukari Takeba <nil>
	// <nil> <nil>
	// 2 <nil>
}

func ExampleClient_Transaction() {
	client, err := hs.Connect("")
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	err = client.Transaction(ctx, hs.TxOptions{Isolation: "RR"}, func(tx *hs.Tx) error {
		users := tx.Table("test.user")
		if _, err := users.Update(ctx, 101, hs.Row{"user_name": "nobody"}); err != nil {
			return err
		}
		return errors.New("rolled back")
	})
	fmt.Println(err)
	// Output: rolled back
}
