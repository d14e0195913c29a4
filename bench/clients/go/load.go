// Looks rows up by their keys: ../README.md tells the arguments and what is printed.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/redis/go-redis/v9"

	hs "handlersocket2.org/client/v2"
)

const (
	batch      = 100
	goroutines = 16
)

var ctx = context.Background()

// lookup fills in the values of keys.
type lookup func(keys []int, values []string)

type pair struct {
	Value string `hs:"value"`
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func connectHS(port string, count int) func() lookup {
	client, err := hs.Connect("hs://127.0.0.1:" + port)
	check(err)
	table := client.Table("test.pairs", hs.Columns("value"))
	return func() lookup {
		if count == 1 {
			return func(keys []int, values []string) {
				row, err := hs.Get[pair](ctx, table, keys[0])
				check(err)
				values[0] = row.Value
			}
		}
		return func(keys []int, values []string) {
			pipeline := client.Pipeline()
			rows := make([]*hs.Result[*pair], len(keys))
			for i, key := range keys {
				rows[i] = hs.PipelineGet[pair](pipeline, table, key)
			}
			check(pipeline.Run(ctx))
			for i := range rows {
				row, err := rows[i].Get()
				check(err)
				values[i] = row.Value
			}
		}
	}
}

func connectSQL(port string, count int) func() lookup {
	client, err := sql.Open("mysql", "bench@tcp(127.0.0.1:"+port+")/test")
	check(err)
	client.SetMaxIdleConns(goroutines)
	one, err := client.Prepare("SELECT value FROM pairs WHERE id = ?")
	check(err)
	marks := "?" + strings.Repeat(",?", batch-1)
	many, err := client.Prepare("SELECT id, value FROM pairs WHERE id IN (" + marks + ")")
	check(err)
	return func() lookup {
		if count == 1 {
			return func(keys []int, values []string) { check(one.QueryRow(keys[0]).Scan(&values[0])) }
		}
		return func(keys []int, values []string) {
			arguments := make([]any, len(keys))
			places := make(map[int]int, len(keys))
			for i, key := range keys {
				arguments[i] = key
				places[key] = i
			}
			rows, err := many.Query(arguments...)
			check(err)
			for rows.Next() {
				var id int
				var value string
				check(rows.Scan(&id, &value))
				values[places[id]] = value
			}
			check(rows.Err())
		}
	}
}

func connectRedis(port string, count int) func() lookup {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port, PoolSize: goroutines})
	return func() lookup {
		if count == 1 {
			return func(keys []int, values []string) {
				value, err := client.Get(ctx, strconv.Itoa(keys[0])).Result()
				check(err)
				values[0] = value
			}
		}
		return func(keys []int, values []string) {
			pipeline := client.Pipeline()
			results := make([]*redis.StringCmd, len(keys))
			for i, key := range keys {
				results[i] = pipeline.Get(ctx, strconv.Itoa(key))
			}
			_, err := pipeline.Exec(ctx)
			check(err)
			for i := range results {
				values[i] = results[i].Val()
			}
		}
	}
}

// A socket, without a client: what the server and the kernel leave to be gained.
func connectFloor(port string, _ int) func() lookup {
	return func() lookup {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		check(err)
		reader := bufio.NewReaderSize(conn, 65536)
		_, err = conn.Write([]byte("P\t1\ttest\tpairs\tPRIMARY\tvalue\n"))
		check(err)
		_, err = reader.ReadSlice('\n')
		check(err)
		var request []byte
		return func(keys []int, values []string) {
			request = request[:0]
			for _, key := range keys {
				request = append(strconv.AppendInt(append(request, "1\t=\t1\t"...), int64(key), 10), '\n')
			}
			_, err := conn.Write(request)
			check(err)
			for i := range keys {
				line, err := reader.ReadSlice('\n')
				check(err)
				values[i] = string(line[4 : len(line)-1])
			}
		}
	}
}

// lookUp counts lookups, and those with wrong answers, until the end.
func lookUp(look lookup, first, rows, count int, end time.Time) (lookups, wrong int) {
	keys, values := make([]int, count), make([]string, count)
	for time.Now().Before(end) {
		for i := range keys {
			first = (first + 7919) % rows
			keys[i], values[i] = 1+first, ""
		}
		look(keys, values)
		lookups += count
		for i, key := range keys {
			if values[i] != fmt.Sprintf("%060d", key) {
				wrong++
			}
		}
	}
	return
}

func cpu() float64 {
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

func main() {
	target, shape, port := os.Args[1], os.Args[2], os.Args[3]
	rows, err := strconv.Atoi(os.Args[4])
	check(err)
	seconds, err := strconv.ParseFloat(os.Args[5], 64)
	check(err)
	count, workers := 1, 1
	if shape == "pipeline" {
		count = batch
	} else if shape == "parallel" {
		workers = goroutines
	}
	connect := map[string]func(string, int) func() lookup{
		"hs": connectHS, "sql": connectSQL, "redis": connectRedis, "floor": connectFloor,
	}[target](port, count)
	looks := make([]lookup, workers)
	all := func(length time.Duration) (lookups, wrong int) {
		var group sync.WaitGroup
		var lock sync.Mutex
		end := time.Now().Add(length)
		for i := range looks {
			group.Add(1)
			go func(i int) {
				defer group.Done()
				done, bad := lookUp(looks[i], i*rows/workers, rows, count, end)
				lock.Lock()
				defer lock.Unlock()
				lookups, wrong = lookups+done, wrong+bad
			}(i)
		}
		group.Wait()
		return
	}
	for i := range looks {
		looks[i] = connect()
	}
	all(100 * time.Millisecond) // connected, and warm
	begin, before := time.Now(), cpu()
	lookups, wrong := all(time.Duration(seconds * float64(time.Second)))
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"seconds": time.Since(begin).Seconds(), "cpu": cpu() - before, "lookups": lookups, "wrong": wrong,
	}))
}
