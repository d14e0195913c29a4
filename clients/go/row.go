package hs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"handlersocket2.org/client/v2/protocol"
)

// A shape is the columns of a reply, and as what their values are read.
type shape struct {
	names []string
	kinds []columnKind
	raw   bool

	fields   *fields      // Of the struct that it is read as.
	of       *description // The table as it was; nil where nobody asks for its types.
	decoders any          // *decoders[T], for the T that they were made for.
}

// ShapeFor returns the columns that a read gives as T: those of the table object, or those of the struct
// T, or all.
func shapeFor[T any](ctx context.Context, t *Table) (*shape, error) {
	if t.err != nil {
		return nil, t.err
	}
	last := t.known.shape.Load()
	fits := false
	if last != nil {
		_, fits = last.decoders.(*decoders[T])
	}
	if fits && last.fields != nil { // A struct's columns need no types.
		return last, nil
	}
	fields := fieldsOf[T]()
	var table *description
	if fields == nil && (!t.raw || t.columns == nil) {
		var err error
		if table, err = t.describedOrText(ctx, t.columns); err != nil {
			return nil, err
		}
	}
	if fits && last.of == table {
		return last, nil
	}
	s := &shape{names: t.columns, raw: t.raw, fields: fields, of: table}
	switch {
	case fields != nil:
		if s.names == nil {
			s.names = fields.names
		}
	case table != nil:
		s.addKinds()
	}
	s.decoders = decodersOf[T](s)
	t.known.shape.Store(s)
	return s, nil
}

// What has no types is text.
var untyped = &description{}

// DescribedOrText asks for the types of the columns. A server that does not tell gives text.
func (t *Table) describedOrText(ctx context.Context, names []string) (*description, error) {
	table, err := t.layout(ctx, names)
	var unsupported *UnsupportedError
	if names != nil && errors.As(err, &unsupported) {
		return untyped, nil
	}
	return table, err
}

func (s *shape) addKinds() {
	if s.names == nil {
		s.names = s.of.names
	}
	s.kinds = make([]columnKind, len(s.names))
	for i, name := range s.names {
		s.kinds[i] = s.of.kinds[name]
	}
}

// Decoders make rows of a reply whose first columns are those of a shape: all, or the first one, if any.
type decoders[T any] struct {
	rows  decoder[[]T]
	first decoder[*T]
}

func decodersOf[T any](s *shape) *decoders[T] {
	if made, ok := s.decoders.(*decoders[T]); ok {
		return made
	}
	one := rowDecoder[T](s)
	rows := func(reply *protocol.Reply) ([]T, error) {
		if reply.Columns < len(s.names) {
			return nil, unexpected("number of columns")
		}
		rows := make([]T, reply.Rows())
		for i := range rows {
			start := i * reply.Columns
			if err := one(reply.Values()[start:start+len(s.names)], &rows[i]); err != nil {
				return nil, err
			}
		}
		return rows, nil
	}
	first := func(reply *protocol.Reply) (*T, error) {
		switch {
		case reply.Columns < len(s.names):
			return nil, unexpected("number of columns")
		case reply.Rows() == 0:
			return nil, nil
		}
		row := new(T)
		if err := one(reply.Values()[:len(s.names)], row); err != nil {
			return nil, err
		}
		return row, nil
	}
	return &decoders[T]{rows: rows, first: first}
}

func rowDecoder[T any](s *shape) func(values [][]byte, row *T) error {
	if fields := fieldsOf[T](); fields != nil {
		places := fields.places(s.names)
		return func(values [][]byte, row *T) error { return fillStruct(row, places, s.names, values) }
	}
	return func(values [][]byte, row *T) error {
		made := make(Row, len(values))
		for i, value := range values {
			typed, err := s.value(i, value)
			if err != nil {
				return err
			}
			made[s.names[i]] = typed
		}
		return assignRow(made, row)
	}
}

func assignRow(made Row, row any) error {
	into, ok := row.(*Row)
	if !ok {
		return &ValueError{What: fmt.Sprintf("a row is read as a Row or a struct, not as %T", row)}
	}
	*into = made
	return nil
}

func (s *shape) value(column int, value []byte) (any, error) {
	if value == nil {
		return nil, nil
	}
	if s.raw {
		return append([]byte{}, value...), nil
	}
	typed, err := typedValue(s.kinds[column], value)
	if err != nil {
		// The reply is one to something else, or the table was altered.
		return nil, unexpected(fmt.Sprintf("value %.40q of column %s", value, s.names[column]))
	}
	return typed, nil
}

func typedValue(k columnKind, value []byte) (any, error) {
	switch k.kind {
	case protocol.Integer, protocol.Float:
		return numberValue(k, string(value))
	case protocol.Bytes:
		return append([]byte{}, value...), nil
	case protocol.Date, protocol.DateTime:
		if parsed, err := parseTime(string(value)); err == nil {
			return parsed, nil
		}
		return string(value), nil // The zero date, and days that no calendar has.
	case protocol.Time:
		return parseDuration(string(value))
	}
	return string(value), nil
}

// IsFloatText tells whether a text has nothing that a number of SQL has not.
func isFloatText(text string) bool {
	return !strings.HasPrefix(text, "+") && strings.Trim(text, "0123456789.eE+-") == ""
}

// NumberValue reads a number of SQL: without the names and signs that Go takes, too.
func numberValue(k columnKind, digits string) (any, error) {
	switch {
	case !isFloatText(digits):
		return nil, strconv.ErrSyntax
	case k.kind == protocol.Float:
		return strconv.ParseFloat(digits, 64)
	case k.unsigned:
		return strconv.ParseUint(digits, 10, 64)
	}
	return strconv.ParseInt(digits, 10, 64)
}

func parseTime(text string) (time.Time, error) {
	if len(text) == len("2006-01-02") {
		return time.Parse("2006-01-02", text)
	}
	return time.Parse("2006-01-02 15:04:05", text)
}

func parseDuration(text string) (time.Duration, error) {
	parts := strings.Split(strings.TrimPrefix(text, "-"), ":")
	if len(parts) != 3 {
		return 0, errors.New("it is no time")
	}
	whole, fraction, _ := strings.Cut(parts[2], ".")
	total := time.Duration(0)
	for i, unit := range [...]time.Duration{time.Hour, time.Minute, time.Second, time.Microsecond} {
		digits := (fraction + "000000")[:6]
		switch {
		case i < 2:
			digits = parts[i]
		case i == 2:
			digits = whole
		}
		number, err := strconv.ParseUint(digits, 10, 20)
		if err != nil {
			return 0, err
		}
		total += time.Duration(number) * unit
	}
	if text[0] == '-' {
		total = -total
	}
	return total, nil
}
