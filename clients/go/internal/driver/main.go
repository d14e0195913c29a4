// Program driver carries out what the acceptance script asks for: see clients/acceptance/README.md.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	hs "handlersocket2.org/client/v2"
)

// An order is one line of input, or one of its calls.
type order struct {
	Do, URL, Name, Index, Isolation, GTID, Port string
	Columns                                     []string
	Raw, Hook                                   bool
	ReadOnly                                    bool `json:"read_only"`
	Table, Count                                int
	Seconds                                     float64
	Tokens                                      []any
	Args                                        map[string]any
	Options                                     map[string]any
	Calls                                       []json.RawMessage
}

type driver struct {
	client *hs.Client
	tables []*hs.Table
	tx     *hs.Tx
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<30)
	out := bufio.NewWriter(os.Stdout)
	d := &driver{}
	for lines.Scan() {
		answer, err := json.Marshal(d.answer(lines.Bytes()))
		if err != nil {
			panic(err)
		}
		out.Write(append(answer, '\n'))
		out.Flush()
	}
}

func (d *driver) answer(line []byte) map[string]any {
	o, err := parse(line)
	if err != nil {
		return answerOf(nil, err)
	}
	return answerOf(d.carryOut(context.Background(), o))
}

func parse(line []byte) (*order, error) {
	o := &order{}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	return o, decoder.Decode(o)
}

func answerOf(result any, err error) map[string]any {
	if err != nil {
		return map[string]any{"error": describeError(err)}
	}
	return map[string]any{"ok": encode(result)}
}

func (d *driver) carryOut(ctx context.Context, o *order) (any, error) {
	switch o.Do {
	case "connect":
		d.close()
		client, err := hs.Connect(o.URL, hook(o.Hook), inCode(o.Options))
		d.client = client
		return nil, err
	case "close":
		d.close()
		return nil, nil
	}
	if d.client == nil {
		return nil, fmt.Errorf("there is no client")
	}
	switch o.Do {
	case "table":
		return d.table(o), nil
	case "pipeline":
		return d.pipeline(ctx, o)
	case "threads":
		return d.threads(ctx, o)
	case "ping":
		return nil, d.client.Ping(ctx)
	case "features":
		return d.client.Features(ctx)
	case "last_gtid":
		return d.client.LastGTID(ctx)
	case "wait_for_gtid":
		return d.client.WaitForGTID(ctx, o.GTID, time.Duration(o.Seconds*float64(time.Second)))
	case "raw":
		return d.raw(ctx, o)
	case "describe", "indexes":
		return d.describe(ctx, o)
	case "begin", "commit", "rollback", "savepoint", "rollback_to":
		return nil, d.transaction(ctx, o)
	}
	return d.call(ctx, o)
}

// Hook sets a hook that fails, if it is wanted.
func hook(wanted bool) func(*hs.Options) {
	return func(o *hs.Options) {
		if wanted {
			o.OnRequest = func(string, string, time.Duration, error) { panic("the hook fails") }
		}
	}
}

// InCode sets options as a program does. Numbers that their types cannot hold are set to -1.
func inCode(given map[string]any) func(*hs.Options) {
	return func(o *hs.Options) {
		texts := map[string]*string{
			"host": &o.Host, "socket": &o.Socket, "write_socket": &o.WriteSocket, "database": &o.Database,
			"user": &o.User, "password": &o.Password, "secret": &o.Secret, "write_secret": &o.WriteSecret,
			"tls_ca": &o.TLSCA, "tls_cert": &o.TLSCert, "tls_key": &o.TLSKey, "tls_name": &o.TLSName, "name": &o.Name,
		}
		wholes := map[string]*int{"port": &o.Port, "write_port": &o.WritePort, "pool_size": &o.PoolSize, "retries": &o.Retries}
		times := map[string]*time.Duration{
			"connect_timeout": &o.ConnectTimeout, "timeout": &o.Timeout,
			"max_idle": &o.MaxIdle, "gtid_timeout": &o.GTIDTimeout,
		}
		for name, value := range given {
			if text, ok := value.(string); ok {
				*texts[name] = text
				continue
			}
			number, err := value.(json.Number).Float64()
			if err != nil || number > 1e9 || wholes[name] != nil && number != math.Trunc(number) {
				number = -1
			}
			if field := wholes[name]; field != nil {
				*field = int(number)
			} else {
				*times[name] = time.Duration(math.Ceil(number * float64(time.Second)))
			}
		}
	}
}

func (d *driver) close() {
	if d.client != nil {
		d.client.Close()
	}
	*d = driver{}
}

func (d *driver) table(o *order) int {
	var options []hs.TableOption
	if o.Columns != nil {
		options = append(options, hs.Columns(o.Columns...))
	}
	if o.Index != "" {
		options = append(options, hs.Index(o.Index))
	}
	if o.Raw {
		options = append(options, hs.Raw())
	}
	d.tables = append(d.tables, d.client.Table(o.Name, options...))
	return len(d.tables)
}

func (d *driver) transaction(ctx context.Context, o *order) (err error) {
	if o.Do == "begin" {
		options := hs.TxOptions{Isolation: o.Isolation, ReadOnly: o.ReadOnly}
		d.tx, err = d.client.Begin(ctx, options)
		return err
	}
	if d.tx == nil {
		return fmt.Errorf("there is no transaction")
	}
	switch o.Do {
	case "savepoint":
		return d.tx.Savepoint(ctx, o.Name)
	case "rollback_to":
		return d.tx.RollbackTo(ctx, o.Name)
	case "commit":
		err = d.tx.Commit(ctx)
	default:
		err = d.tx.Rollback(ctx)
	}
	d.tx = nil
	return err
}

func (d *driver) describe(ctx context.Context, o *order) (any, error) {
	switch {
	case o.Do == "indexes":
		return d.client.Indexes(ctx, o.Name)
	case o.Name == "":
		return d.client.Describe(ctx)
	case strings.Contains(o.Name, "."):
		return d.client.DescribeTable(ctx, o.Name)
	}
	return d.client.DescribeDatabase(ctx, o.Name)
}

func (d *driver) raw(ctx context.Context, o *order) (any, error) {
	var tokens []string
	for _, token := range o.Tokens {
		tokens = append(tokens, text(decode(token)))
	}
	reply, err := d.client.Raw(ctx, hs.Port(o.Port), tokens...)
	if err != nil {
		return nil, err
	}
	all := []any{reply.Code, reply.Columns}
	for _, value := range reply.Values {
		all = append(all, textOrBytes(value))
	}
	return all, nil
}

func (d *driver) threads(ctx context.Context, o *order) (any, error) {
	results := make([]any, o.Count)
	var group sync.WaitGroup
	for i := range results {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			var own []any
			for _, line := range o.Calls {
				call, err := parse(line)
				if err != nil {
					own = append(own, answerOf(nil, err))
					continue
				}
				own = append(own, answerOf(d.carryOut(ctx, call)))
			}
			results[i] = own
		}(i)
	}
	group.Wait()
	return results, nil
}
