package protocol_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"handlersocket2.org/client/v2/protocol"
)

type replyCase struct {
	Name    string    `json:"name"`
	Bytes   string    `json:"bytes"`
	Columns int       `json:"columns"`
	Values  []*string `json:"values"`
	Class   string    `json:"class"`
	Code    int       `json:"code"`
	Text    string    `json:"text"`
}

func load(t *testing.T, name string, cases any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases json.RawMessage `json:"cases"`
	}
	if err = json.Unmarshal(content, &file); err == nil {
		err = json.Unmarshal(file.Cases, cases)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Latin1 returns the bytes that a string of a vector stands for.
func latin1(text string) []byte {
	out := []byte{}
	for _, r := range text {
		out = append(out, byte(r))
	}
	return out
}

func optionalBytes(text *string) []byte {
	if text == nil {
		return nil
	}
	return latin1(*text)
}

func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func TestValuesHaveTheirTokens(t *testing.T) {
	var cases []struct {
		Name  string
		Value *string
		Token string
		Also  []string
	}
	load(t, "values.json", &cases)
	for _, c := range cases {
		value := optionalBytes(c.Value)
		if got := protocol.AppendValue(nil, value); !bytes.Equal(got, latin1(c.Token)) {
			t.Errorf("%s: %q is written as %q", c.Name, value, got)
		}
		for _, token := range append(c.Also, c.Token) {
			got, err := protocol.ParseValue(latin1(token))
			if err != nil || !same(got, value) {
				t.Errorf("%s: %q is read as %q, %v", c.Name, token, got, err)
			}
		}
	}
}

func TestWhatIsNoValueIsRefused(t *testing.T) {
	var cases []struct{ Name, Token string }
	load(t, "bad_values.json", &cases)
	for _, c := range cases {
		if got, err := protocol.ParseValue(latin1(c.Token)); err == nil {
			t.Errorf("%s: it is read as %q", c.Name, got)
		}
	}
}

func TestRepliesAreReadInAnyPieces(t *testing.T) {
	for _, name := range []string{"replies.json", "errors.json"} {
		var cases []replyCase
		load(t, name, &cases)
		for _, c := range cases {
			for _, pieces := range cuts(latin1(c.Bytes)) {
				var reader protocol.Reader
				if got := readAll(t, &reader, pieces); len(got) != 1 {
					t.Errorf("%s: %d replies", c.Name, len(got))
				} else {
					compare(t, c, got[0])
				}
			}
		}
	}
}

func TestStreamsAreReadInAnyPieces(t *testing.T) {
	var cases []struct {
		Name, Bytes string
		Replies     []replyCase
		Rest        int
	}
	load(t, "streams.json", &cases)
	for _, c := range cases {
		for _, pieces := range cuts(latin1(c.Bytes)) {
			var reader protocol.Reader
			got := readAll(t, &reader, pieces)
			if len(got) != len(c.Replies) || reader.Buffered() != c.Rest {
				t.Fatalf("%s: %d replies, %d bytes more", c.Name, len(got), reader.Buffered())
			}
			for i, reply := range c.Replies {
				reply.Name = c.Name
				compare(t, reply, got[i])
			}
		}
	}
}

func TestWhatIsNoReplyIsRefused(t *testing.T) {
	var cases []replyCase
	load(t, "bad_replies.json", &cases)
	for _, c := range cases {
		for _, pieces := range cuts(latin1(c.Bytes)) {
			var reader protocol.Reader
			var err error
			for _, piece := range pieces {
				reader.Feed(piece)
				var reply *protocol.Reply
				for err == nil {
					if reply, err = reader.Next(); reply == nil {
						break
					}
				}
			}
			var none *protocol.ReplyError
			if !errors.As(err, &none) {
				t.Errorf("%s: %v", c.Name, err)
				break
			}
		}
	}
}

func TestRepliesHaveTheirBound(t *testing.T) {
	var cases []struct {
		Name, Bytes string
		MaxReply    int `json:"max_reply"`
		Error       bool
	}
	load(t, "long_replies.json", &cases)
	for _, c := range cases {
		for _, pieces := range cuts(latin1(c.Bytes)) {
			reader := protocol.Reader{MaxReply: c.MaxReply}
			var err error
			for _, piece := range pieces {
				reader.Feed(piece)
				for reply := new(protocol.Reply); reply != nil && err == nil; {
					reply, err = reader.Next()
				}
			}
			if (err != nil) != c.Error {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
	}
}

// Cuts returns the bytes whole, in two pieces cut at each place, and one by one.
func cuts(whole []byte) [][][]byte {
	all := [][][]byte{{whole}}
	for i := 1; i < len(whole) && len(whole) < 5000; i++ {
		all = append(all, [][]byte{whole[:i], whole[i:]})
	}
	single := [][]byte{}
	for i := range whole {
		single = append(single, whole[i:i+1])
	}
	return append(all, single)
}

// A keptReply is a copy of a reply.
type keptReply struct {
	Code, Columns int
	Text          string
	Values        [][]byte
}

func readAll(t *testing.T, reader *protocol.Reader, pieces [][]byte) []keptReply {
	t.Helper()
	var all []keptReply
	for _, piece := range pieces {
		reader.Feed(piece)
		for {
			reply, err := reader.Next()
			if err != nil {
				t.Fatal(err)
			}
			if reply == nil {
				break
			}
			kept := keptReply{Code: reply.Code, Columns: reply.Columns, Text: reply.Text}
			for _, value := range reply.Values() {
				if value != nil {
					value = append([]byte{}, value...)
				}
				kept.Values = append(kept.Values, value)
			}
			all = append(all, kept)
		}
	}
	return all
}

func compare(t *testing.T, c replyCase, got keptReply) {
	t.Helper()
	if c.Class != "" || c.Code != 0 {
		if got.Code != c.Code || got.Text != c.Text {
			t.Errorf("%s: code %d, text %q", c.Name, got.Code, got.Text)
		}
		return
	}
	if got.Code != 0 || got.Columns != c.Columns || len(got.Values) != len(c.Values) {
		t.Errorf("%s: %+v", c.Name, got)
		return
	}
	for i, value := range c.Values {
		if !same(optionalBytes(value), got.Values[i]) {
			t.Errorf("%s: value %d is %q", c.Name, i, got.Values[i])
		}
	}
}

func TestNativePasswordsAnswerChallenges(t *testing.T) {
	var cases []struct{ Name, Password, Challenge, Response string }
	load(t, "logins.json", &cases)
	for _, c := range cases {
		password, _ := hex.DecodeString(c.Password)
		challenge, _ := hex.DecodeString(c.Challenge)
		answer := protocol.NativePassword(string(password), challenge)
		if got := hex.EncodeToString(answer); got != c.Response {
			t.Errorf("%s: %s", c.Name, got)
		}
	}
}

func TestTypesHaveTheirKinds(t *testing.T) {
	var cases []struct{ Name, Type, Kind string }
	load(t, "types.json", &cases)
	for _, c := range cases {
		if got := protocol.KindOf(c.Type); string(got) != c.Kind {
			t.Errorf("%s: %s is %s", c.Name, c.Type, got)
		}
	}
}
