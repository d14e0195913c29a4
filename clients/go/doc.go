// Package hs is a client of HandlerSocket 2, which reads and writes the rows of a MariaDB server without SQL.
//
//	client, err := hs.Connect("hs://127.0.0.1:9998?write_port=9999")
//	users := client.Table("test.user")
//	row, err := users.Get(ctx, 101)
//	fmt.Println(row["user_name"])
//
// # Rows
//
// A row is a Row, a map by the names of the columns, or a struct whose fields have tags:
//
//	type User struct {
//		ID      uint32     `hs:"user_id"`
//		Name    *string    `hs:"user_name"`
//		Created *time.Time `hs:"created"`
//	}
//	user, err := hs.Get[User](ctx, users, 101)
//
// A field whose column may be NULL is a pointer, a slice of bytes or a sql.Scanner. With omitempty in its tag
// a field that is zero is left out of inserts and updates. In a Row, NULL is nil, and the other values are:
//
//	integers, YEAR                        int64, or uint64 where the column is unsigned
//	FLOAT, DOUBLE                         float64
//	DECIMAL                               string
//	DATE, DATETIME, TIMESTAMP             time.Time in UTC, or string for a date of no calendar, as the zero date
//	TIME                                  time.Duration
//	CHAR, VARCHAR, TEXT, ENUM, SET, JSON  string
//	BINARY, VARBINARY, BLOB, BIT          []byte
//
// Dates and times have no zone on the wire: they are read as UTC, and a time.Time is sent in UTC.
//
// # Calls
//
// Each call takes a context, whose end ends the call; Options.Timeout bounds calls without one. Reads go to
// the read port, or to replicas, and changes to the write port. A Client is safe for goroutines. A request
// that changes nothing is sent again when its connection breaks; a change never is.
//
// # Errors
//
// Errors are pointers, to be found by errors.As. Each class of a server's errors is also a *ServerError,
// and a *TimeoutError and a *ProtocolError are also a *ConnectionError:
//
//	var duplicate *hs.DuplicateKeyError
//	if errors.As(err, &duplicate) {
//		…
//	}
package hs
