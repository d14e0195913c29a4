package protocol

import (
	"bytes"
	"fmt"
)

// DefaultMaxReply bounds one reply: it is the largest that a server sends, in bytes.
const DefaultMaxReply = 64 << 20

const (
	firstBuffer = 16 << 10
	keptBuffer  = 1 << 20 // A larger buffer is given up when it is empty.
	keptValues  = 1 << 16 // So is a longer list of values.
)

// A Reply is one line of the server. Its values are valid until the Reader's next call.
type Reply struct {
	// Code is 0, or that of an error: 1, 2 or 3.
	Code int
	// Text is that of an error.
	Text string
	// Columns is the second token.
	Columns int

	tokens []byte // Those of the values, until somebody asks for these.
	count  int
	values [][]byte
}

// Len returns how many values there are in all rows. Look at it before Values, whose list takes far more memory
// than the reply where the values are short.
func (r *Reply) Len() int { return r.count }

// Rows returns how many rows the reply has.
func (r *Reply) Rows() int {
	if r.Columns == 0 {
		return 0
	}
	return r.count / r.Columns
}

// Values returns all values of all rows; NULL is nil.
func (r *Reply) Values() [][]byte {
	if len(r.values) < r.count {
		if cap(r.values) < r.count {
			r.values = make([][]byte, 0, r.count)
		}
		rest := r.tokens
		for more := true; more; {
			var token []byte
			token, rest, more = bytes.Cut(rest, []byte{'\t'})
			value, _ := ParseValue(token) // Its escapes were looked at.
			r.values = append(r.values, value)
		}
	}
	return r.values
}

// A Reader turns bytes, which come in any pieces, into replies. After an error it is of no use any more.
// The zero Reader is ready for use.
type Reader struct {
	// MaxReply bounds one reply, in bytes; 0 is DefaultMaxReply.
	MaxReply int

	buffer  []byte
	start   int // Where the next reply begins.
	scanned int // There is no end of a line before this place.
	end     int
	reply   Reply
}

// Space returns room to read into, of one byte at least. Filled tells how much was read.
func (r *Reader) Space() []byte {
	switch {
	case r.start == r.end:
		if len(r.buffer) == 0 || len(r.buffer) > keptBuffer {
			r.buffer = make([]byte, firstBuffer)
		}
		r.start, r.scanned, r.end = 0, 0, 0
	case r.end == len(r.buffer):
		target := r.buffer
		if r.end-r.start > len(r.buffer)/2 {
			target = make([]byte, 2*len(r.buffer))
		}
		r.end = copy(target, r.buffer[r.start:r.end])
		r.scanned -= r.start
		r.start = 0
		r.buffer = target
	}
	return r.buffer[r.end:]
}

// Filled says that n bytes of Space were filled.
func (r *Reader) Filled(n int) { r.end += n }

// Feed takes a copy of the bytes.
func (r *Reader) Feed(piece []byte) {
	for len(piece) > 0 {
		n := copy(r.Space(), piece)
		r.Filled(n)
		piece = piece[n:]
	}
}

// Buffered returns how many bytes there are behind the last reply.
func (r *Reader) Buffered() int { return r.end - r.start }

// Next returns the next reply, or nil when it is not whole yet. The error is a *ReplyError.
func (r *Reader) Next() (*Reply, error) {
	limit := r.MaxReply
	if limit == 0 {
		limit = DefaultMaxReply
	}
	found := bytes.IndexByte(r.buffer[r.scanned:r.end], '\n')
	if found < 0 {
		r.scanned = r.end
		if r.Buffered() > limit {
			return nil, &ReplyError{What: fmt.Sprintf("it is longer than %d bytes", limit)}
		}
		return nil, nil
	}
	line := r.buffer[r.start : r.scanned+found]
	r.start = r.scanned + found + 1
	r.scanned = r.start
	if len(line) >= limit {
		return nil, &ReplyError{What: fmt.Sprintf("it is longer than %d bytes", limit)}
	}
	if err := r.reply.parse(line); err != nil {
		return nil, err
	}
	return &r.reply, nil
}

// ParseOne reads a reply of one value that stands for itself, as most are, and tells whether it is one.
func (r *Reply) parseOne(line []byte) bool {
	const before = "0\t1\t"
	if len(line) < len(before) || string(line[:len(before)]) != before {
		return false
	}
	value := line[len(before):len(line):len(line)]
	if bytes.IndexByte(value, '\t') >= 0 || bytes.IndexByte(value, escape) >= 0 || len(value) == 1 && value[0] == 0 {
		return false
	}
	*r = Reply{Columns: 1, tokens: value, count: 1, values: append(r.values[:0], value)}
	return true
}

func (r *Reply) parse(line []byte) error {
	if cap(r.values) > keptValues {
		r.values = nil
	}
	if r.parseOne(line) {
		return nil
	}
	code, rest, more := bytes.Cut(line, []byte{'\t'})
	if len(code) != 1 || code[0] < '0' || code[0] > '9' || !more {
		return &ReplyError{What: fmt.Sprintf("it begins with %.20q", line)}
	}
	columns, rest, more := bytes.Cut(rest, []byte{'\t'})
	number, ok := parseNumber(columns)
	if !ok {
		return &ReplyError{What: fmt.Sprintf("its number of columns is %.20q", columns)}
	}
	*r = Reply{Code: int(code[0] - '0'), Columns: number, tokens: rest, values: r.values[:0]}
	if r.Code != 0 {
		return r.parseError(rest, more)
	}
	if !more {
		return nil
	}
	r.count = 1 + bytes.Count(rest, []byte{'\t'})
	if number == 0 || r.count%number != 0 {
		return &ReplyError{What: fmt.Sprintf("%d values are no rows of %d", r.count, number)}
	}
	return checkEscapes(rest)
}

func (r *Reply) parseError(text []byte, more bool) error {
	if r.Columns != 1 || !more || len(text) == 0 || bytes.IndexByte(text, '\t') >= 0 {
		return &ReplyError{What: "it is no error of one text"}
	}
	r.Text = string(text)
	return nil
}

func parseNumber(digits []byte) (int, bool) {
	if len(digits) == 0 || len(digits) > 9 {
		return 0, false
	}
	number := 0
	for _, digit := range digits {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		number = number*10 + int(digit-'0')
	}
	return number, true
}
