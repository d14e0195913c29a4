// The session of README.md with go-redis, which speaks version 3 of the protocol.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

const binary = "<\x00\xff>\r\n"

var ctx = context.Background()

func check(found, wanted interface{}) {
	if !reflect.DeepEqual(found, wanted) {
		panic(fmt.Sprintf("%#v instead of %#v", found, wanted))
	}
}

func is[T any](wanted T) func(T, error) {
	return func(found T, err error) {
		check(err, nil)
		check(found, wanted)
	}
}

func between(low, high time.Duration) func(time.Duration, error) {
	return func(found time.Duration, err error) {
		check(err, nil)
		check(found >= low && found <= high, true)
	}
}

func stringsOf(client *redis.Client) {
	_, err := client.ClientInfo(ctx).Result()
	check(err, nil)
	is("OK")(client.Set(ctx, "page:a", binary, 100*time.Second).Result())
	is(binary)(client.Get(ctx, "page:a").Result())
	between(99*time.Second, 101*time.Second)(client.TTL(ctx, "page:a").Result())
	is(false)(client.SetNX(ctx, "page:a", "x", 0).Result())
	_, err = client.Get(ctx, "page:none").Result()
	check(err, redis.Nil)
	is([]interface{}{binary, nil})(client.MGet(ctx, "page:a", "page:none").Result())
	is("OK")(client.MSet(ctx, "page:a", "one", "page:b", "two").Result())
	is(int64(4))(client.Append(ctx, "page:b", "!").Result())
	is("two!")(client.GetSet(ctx, "page:b", "2").Result())
	is(int64(2))(client.Exists(ctx, "page:a", "page:b", "page:none").Result())
	is(true)(client.Expire(ctx, "page:b", 50*time.Second).Result())
	between(49*time.Second, 51*time.Second)(client.TTL(ctx, "page:b").Result())
	is(true)(client.Persist(ctx, "page:b").Result())
	is(time.Duration(-1))(client.TTL(ctx, "page:b").Result())
	is(int64(1))(client.Incr(ctx, "count:c").Result())
	is(int64(42))(client.IncrBy(ctx, "count:c", 41).Result())
	is(int64(41))(client.Decr(ctx, "count:c").Result())
	is(2.5)(client.IncrByFloat(ctx, "page:b", 0.5).Result())
}

func hashes(client *redis.Client) {
	is(int64(2))(client.HSet(ctx, "user:1", "name", "ada", "visits", 1).Result())
	is(int64(5))(client.HIncrBy(ctx, "user:1", "visits", 4).Result())
	is([]interface{}{"5", nil, "ada"})(client.HMGet(ctx, "user:1", "visits", "none", "name").Result())
	is(map[string]string{"id": "1", "name": "ada", "visits": "5"})(client.HGetAll(ctx, "user:1").Result())
	var user struct {
		Name   string `redis:"name"`
		Visits int    `redis:"visits"`
	}
	check(client.HGetAll(ctx, "user:1").Scan(&user), nil)
	check(user.Visits, 5)
	is(true)(client.HExists(ctx, "user:1", "name").Result())
}

func transactions(client, other *redis.Client) {
	pipe := client.TxPipeline()
	counted, read := pipe.Incr(ctx, "count:t"), pipe.Get(ctx, "page:a")
	_, err := pipe.Exec(ctx)
	check(err, nil)
	check(counted.Val(), int64(1))
	check(read.Val(), "one")
	err = client.Watch(ctx, func(tx *redis.Tx) error {
		other.Incr(ctx, "count:t")
		_, err := tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Incr(ctx, "count:t")
			return nil
		})
		return err
	}, "count:t")
	check(err, redis.TxFailedErr)
	is("2")(client.Get(ctx, "count:t").Result())
}

func scan(client *redis.Client) {
	found := []string{}
	each := client.Scan(ctx, 0, "page:*", 1).Iterator()
	for each.Next(ctx) {
		found = append(found, each.Val())
	}
	check(each.Err(), nil)
	sort.Strings(found)
	check(found, []string{"page:a", "page:b"})
}

func pipeline(client *redis.Client) {
	commands, err := client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i := 0; i < 100; i++ {
			pipe.Incr(ctx, "count:p")
		}
		return nil
	})
	check(err, nil)
	check(commands[99].(*redis.IntCmd).Val(), int64(100))
}

func refused(client *redis.Client) {
	file, err := os.Open(os.Getenv("REFUSED"))
	check(err, nil)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		parts := strings.Split(lines.Text(), "\t")
		words := []interface{}{}
		for _, word := range strings.Fields(parts[0]) {
			words = append(words, word)
		}
		err := client.Do(ctx, words...).Err()
		if err == nil || !strings.HasPrefix(err.Error(), parts[1]) {
			panic(fmt.Sprintf("%s: %v", parts[0], err))
		}
	}
}

func account() {
	authority, err := os.ReadFile(os.Getenv("CA"))
	check(err, nil)
	pool := x509.NewCertPool()
	check(pool.AppendCertsFromPEM(authority), true)
	options := redis.Options{
		Addr:     "127.0.0.1:" + os.Getenv("GUARDED_PORT"),
		Username: "driver", Password: "se'cret",
		// The certificate of the tests names no address: the chain alone is looked at.
		TLSConfig: &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(state tls.ConnectionState) error {
			_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: pool})
			return err
		}},
	}
	client := redis.NewClient(&options)
	is("OK")(client.Set(ctx, "page:t", "over TLS", 0).Result())
	is("over TLS")(client.Get(ctx, "page:t").Result())
	options.Password = "wrong"
	err = redis.NewClient(&options).Ping(ctx).Err()
	check(err != nil && strings.HasPrefix(err.Error(), "WRONGPASS"), true)
}

func main() {
	options := redis.Options{Addr: "127.0.0.1:" + os.Getenv("PORT"), ClientName: "driver"}
	client, other := redis.NewClient(&options), redis.NewClient(&options)
	if err := client.Ping(ctx).Err(); err != nil {
		panic(errors.Unwrap(err))
	}
	stringsOf(client)
	hashes(client)
	transactions(client, other)
	scan(client)
	pipeline(client)
	refused(client)
	account()
	is(int64(6))(client.Del(ctx, "page:a", "page:b", "count:c", "count:p", "count:t", "user:1").Result())
	is("OK")(client.Set(ctx, "page:left", "go-redis", 0).Result())
	fmt.Println("ok go-redis", redis.Version())
}
