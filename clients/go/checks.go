package hs

import (
	"math"
	"strconv"
	"strings"

	"handlersocket2.org/client/v2/protocol"
)

// A replyCheck tells whether a reply that is no error answers what was asked.
type replyCheck func(reply *protocol.Reply) bool

// HasRows accepts rows of so many columns, and no more than limit of them; 0 is any number.
func hasRows(columns, limit int) replyCheck {
	return func(reply *protocol.Reply) bool {
		return reply.Columns == columns && (limit == 0 || reply.Rows() <= limit)
	}
}

// HasNothing accepts what has nothing to tell.
func hasNothing(reply *protocol.Reply) bool { return reply.Len() == 0 }

// HasCount accepts one number.
func hasCount(reply *protocol.Reply) bool {
	return reply.Columns == 1 && reply.Len() == 1 && isBetween(reply.Values()[0], 0, math.MaxInt64)
}

// HasID accepts one number, or nothing: what an insert has.
func hasID(reply *protocol.Reply) bool {
	return reply.Columns == 1 && (reply.Len() == 0 || reply.Len() == 1 && isNumber(reply.Values()[0]))
}

// HasAdded accepts what the other inserts have: a number from lowest to highest, and maybe an id.
func hasAdded(lowest, highest uint64) replyCheck {
	return func(reply *protocol.Reply) bool {
		if reply.Len() != reply.Columns || reply.Columns < 1 || reply.Columns > 2 {
			return false
		}
		values := reply.Values()
		return isBetween(values[0], lowest, highest) && (len(values) < 2 || isNumber(values[1]))
	}
}

func isNumber(value []byte) bool { return isBetween(value, 0, math.MaxUint64) }

// IsBetween tells whether a value is digits alone, of a number from lowest to highest.
func isBetween(value []byte, lowest, highest uint64) bool {
	number, err := strconv.ParseUint(string(value), 10, 64)
	return err == nil && lowest <= number && number <= highest
}

// CheckOfFind returns what the reply to a find, a count or a change with this verb must be.
func checkOfFind(verb string, columns, limit int) replyCheck {
	switch {
	case verb == "":
		return hasRows(columns, limit)
	case givesRows(verb):
		return hasRows(columns, 0)
	}
	return hasCount
}

// CheckOfInsert returns what the reply to an insert with this verb must be.
func checkOfInsert(verb string, columns int) replyCheck {
	switch {
	case givesRows(verb):
		return hasRows(columns, 0)
	case verb == "+I":
		return hasAdded(0, 1)
	case verb == "+U":
		return hasAdded(0, 2)
	case verb == "+R":
		return hasAdded(1, math.MaxInt64)
	}
	return hasID
}

func givesRows(verb string) bool {
	return strings.HasSuffix(verb, string(Before)) || strings.HasSuffix(verb, string(After))
}
