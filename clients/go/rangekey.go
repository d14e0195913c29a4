package hs

import (
	"context"
	"unicode/utf8"

	"handlersocket2.org/client/protocol"
)

// Indexed returns what the index has of a value: all, or its first characters.
func indexed(part IndexInfo, value []byte) string {
	text := string(value)
	if part.PrefixLength == nil {
		return text
	}
	end := 0
	for i := 0; i < *part.PrefixLength && end < len(text); i++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end]
}

func equalKeys(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// Lowest returns a key with which the index begins. A NULL sorts first, but finds nothing where there can
// be none. The empty text sorts before all but control characters.
func (t *Table) lowest(ctx context.Context, part IndexInfo) ([]any, error) {
	if part.Direction != nil && *part.Direction == "D" {
		return nil, &ValueError{What: "a range over an index that goes downwards needs its beginning"}
	}
	known, err := t.layout(ctx)
	if err != nil {
		return nil, err
	}
	column := known.kinds[part.Column]
	if column.nullable {
		return []any{nil}, nil
	}
	switch column.kind {
	case protocol.Integer, protocol.Float, protocol.Decimal:
		return []any{"-1e309"}, nil
	case protocol.Time:
		return []any{"-838:59:59.999999"}, nil
	}
	return []any{""}, nil
}
