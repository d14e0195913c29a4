package protocol_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"handlersocket2.org/client/v2/protocol"
)

func TestRequestsHaveTheirBytes(t *testing.T) {
	var cases []struct {
		Name  string
		Call  json.RawMessage
		Bytes string
	}
	load(t, "requests.json", &cases)
	for _, c := range cases {
		got, err := carryOut(t, c.Call)
		if err != nil || string(got) != string(latin1(c.Bytes)) {
			t.Errorf("%s: %q instead of %q, %v", c.Name, got, latin1(c.Bytes), err)
		}
	}
}

func TestWhatCannotBeSentIsRefused(t *testing.T) {
	var cases []struct {
		Name string
		Call json.RawMessage
	}
	load(t, "bad_requests.json", &cases)
	for _, c := range cases {
		got, err := carryOut(t, c.Call)
		var value *protocol.ValueError
		if !errors.As(err, &value) {
			t.Errorf("%s: it is sent as %q, %v", c.Name, got, err)
		}
	}
}

func carryOut(t *testing.T, raw json.RawMessage) ([]byte, error) {
	t.Helper()
	var list []any
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	for len(list) < 10 {
		list = append(list, nil)
	}
	return send(list[0].(string), list[1:])
}

func send(name string, a []any) ([]byte, error) {
	switch name {
	case "open":
		return protocol.AppendOpen(nil, integer(a[0], 0), &protocol.Open{
			Database: text(a[1]), Table: text(a[2]), Index: text(a[3]),
			Columns: texts(a[4]), FilterColumns: texts(a[5]),
		})
	case "find", "count", "change":
		return protocol.AppendRequest(nil, integer(a[0], 0), find(name, a))
	case "insert":
		insert := &protocol.Insert{Verb: text(a[1]), Values: values(a[2])}
		if a[3] != nil {
			insert.Update = values(a[3])
		}
		return protocol.AppendRequest(nil, integer(a[0], 0), insert)
	case "begin":
		return protocol.AppendBegin(nil, text(a[0]), a[1] == true)
	case "commit":
		return protocol.AppendCommit(nil), nil
	case "rollback":
		return protocol.AppendRollback(nil), nil
	case "savepoint":
		return protocol.AppendSavepoint(nil, text(a[0]))
	case "rollback_to":
		return protocol.AppendRollbackTo(nil, text(a[0]))
	case "last_gtid":
		return protocol.AppendLastGTID(nil), nil
	case "wait_gtid":
		return protocol.AppendWaitGTID(nil, text(a[0]), integer(a[1], 0))
	case "hello":
		return protocol.AppendHello(nil, integer(a[0], 0), text(a[1]))
	case "describe":
		return protocol.AppendDescribe(nil, text(a[0]), text(a[1]), a[2] == true)
	case "login":
		return protocol.AppendLogin(nil, text(a[0]), texts(a[1])...), nil
	case "answer":
		response, _ := hex.DecodeString(text(a[0]))
		return protocol.AppendAnswer(nil, response), nil
	case "password":
		return protocol.AppendPassword(nil, text(a[0]), text(a[1])), nil
	case "secret":
		return protocol.AppendSecret(nil, text(a[0])), nil
	}
	panic("unknown call " + name)
}

func find(name string, a []any) *protocol.Find {
	f := &protocol.Find{Op: text(a[1]), Key: values(a[2]), Limit: integer(a[3], 1), Offset: integer(a[4], 0)}
	if in, ok := a[5].(map[string]any); ok {
		f.In = &protocol.In{
			Part: integer(in["part"], 0), Values: values(in["values"]), All: in["all"] == true,
		}
	}
	filters, _ := a[6].([]any)
	for _, one := range filters {
		parts := one.([]any)
		f.Filters = append(f.Filters, protocol.Filter{
			Kind: text(parts[0]), Op: text(parts[1]), Column: integer(parts[2], 0), Value: value(parts[3]),
		})
	}
	switch name {
	case "count":
		f.Verb = "C"
	case "change":
		f.Values = values(a[8])
		if f.Verb = text(a[7]); f.Verb == "" {
			f.Verb = "none" // Here the empty verb is that of a find.
		}
	}
	return f
}

func integer(v any, missing int) int {
	if number, ok := v.(float64); ok {
		return int(number)
	}
	return missing
}

func text(v any) string {
	if v == nil {
		return ""
	}
	return string(latin1(fmt.Sprint(v)))
}

func texts(v any) (all []string) {
	list, _ := v.([]any)
	for _, one := range list {
		all = append(all, text(one))
	}
	return all
}

func value(v any) any {
	if s, ok := v.(string); ok {
		return latin1(s)
	}
	return v
}

func values(v any) []any {
	list, _ := v.([]any)
	all := []any{}
	for _, one := range list {
		all = append(all, value(one))
	}
	return all
}
