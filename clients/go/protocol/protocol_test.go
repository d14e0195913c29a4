package protocol_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"handlersocket2.org/client/v2/protocol"
)

func TestEveryByteGoesThereAndBack(t *testing.T) {
	var all []byte
	for i := 0; i < 256; i++ {
		all = append(all, byte(i))
	}
	token := protocol.AppendValue(nil, all)
	if bytes.ContainsAny(token, "\x00\t\n\r") {
		t.Errorf("the token %q has bytes that must be escaped", token)
	}
	if got, err := protocol.ParseValue(token); err != nil || !bytes.Equal(got, all) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestGoValuesHaveTheirTokens(t *testing.T) {
	type named uint8
	number := 7
	var none *int
	for _, c := range []struct {
		value any
		token string
	}{
		{nil, "\x00"}, {none, "\x00"}, {[]byte(nil), "\x00"}, {sql.NullInt64{}, "\x00"}, {"", ""},
		{"a\tb", "a\x01Ib"}, {[]byte{0}, "\x01@"}, {-5, "-5"}, {uint64(math.MaxUint64), "18446744073709551615"},
		{named(3), "3"}, {&number, "7"}, {true, "1"}, {false, "0"}, {0.1, "0.1"}, {float32(0.1), "0.1"},
		{1e300, "1e+300"}, {sql.NullString{String: "x", Valid: true}, "x"}, {big.NewInt(9), "9"},
		{time.Date(2024, 2, 29, 13, 0, 0, 5e8, time.FixedZone("", 3600)), "2024-02-29 12:00:00.5"},
		{-(25*time.Hour + 61*time.Second + 5*time.Microsecond), "-25:01:01.000005"},
	} {
		got, err := protocol.AppendArgument(nil, c.value)
		if err != nil || string(got) != c.token {
			t.Errorf("%#v is written as %q, %v", c.value, got, err)
		}
	}
}

func TestGoValuesThatNoColumnHasAreRefused(t *testing.T) {
	year := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, value := range []any{math.NaN(), math.Inf(1), float32(math.Inf(-1)), []int{1}, struct{}{}, year} {
		var wrong *protocol.ValueError
		if got, err := protocol.AppendArgument(nil, value); !errors.As(err, &wrong) {
			t.Errorf("%v is written as %q, %v", value, got, err)
		}
	}
}

func TestRepliesAreReadByteByByte(t *testing.T) {
	line := "0\t2\ta\x01Ib\t\x00\t\t\x01J\n1\t1\t121\n0\t1\n"
	for cut := range line {
		var reader protocol.Reader
		var got []string
		for _, piece := range []string{line[:cut], line[cut:]} {
			reader.Feed([]byte(piece))
			for reply, err := reader.Next(); reply != nil || err != nil; reply, err = reader.Next() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%d %q %d %q", reply.Code, reply.Text, reply.Rows(), reply.Values()))
			}
		}
		want := "0 \"\" 2 [\"a\\tb\" \"\" \"\" \"\\n\"]|1 \"121\" 0 []|0 \"\" 0 []"
		if strings.Join(got, "|") != want {
			t.Fatalf("cut at %d: %s", cut, strings.Join(got, "|"))
		}
	}
}

func TestAReplyThatIsTooLongIsRefused(t *testing.T) {
	for _, end := range []string{"", "\n"} {
		reader := protocol.Reader{MaxReply: 100}
		reader.Feed([]byte("0\t1\t" + strings.Repeat("x", 100) + end))
		if _, err := reader.Next(); err == nil {
			t.Errorf("it is read with the end %q", end)
		}
	}
}

func TestWhatTheServerNeverSendsIsRefused(t *testing.T) {
	for _, line := range []string{
		"", "0", "x\t1", "0\tx", "0\t-1", "-1\t1\tx", "0\t2\ta", "0\t0\ta", "0\t1\t\x01", "0\t1\t\x01z", "1\t1",
		"1\t2\ta\tb", "1\t1\ta\tb", "00\t1", "0\t", "\t1",
	} {
		var reader protocol.Reader
		reader.Feed([]byte(line + "\n"))
		if reply, err := reader.Next(); err == nil {
			t.Errorf("%q is read as %+v", line, reply)
		}
	}
}

func FuzzReplies(f *testing.F) {
	f.Add([]byte("0\t2\ta\t\x00\n1\t1\t121\n"), 3)
	f.Fuzz(func(t *testing.T, stream []byte, cut int) {
		if cut < 0 || cut > len(stream) {
			return
		}
		var whole, pieces protocol.Reader
		whole.Feed(stream)
		pieces.Feed(stream[:cut])
		for {
			a, errA := whole.Next()
			b, errB := pieces.Next()
			if b == nil && errB == nil {
				pieces.Feed(stream[cut:])
				cut = len(stream)
				b, errB = pieces.Next()
			}
			if fmt.Sprint(a, errA) != fmt.Sprint(b, errB) {
				t.Fatalf("%v, %v and %v, %v", a, errA, b, errB)
			}
			if a == nil {
				return
			}
		}
	})
}
