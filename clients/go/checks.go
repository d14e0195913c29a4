package hs

import (
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

// HasNumbers accepts one row of at least one number, and of most at most.
func hasNumbers(most int) replyCheck {
	return func(reply *protocol.Reply) bool {
		if len(reply.Values) == 0 || reply.Columns != len(reply.Values) || reply.Columns > most {
			return false
		}
		for _, value := range reply.Values {
			if !isDigits(value) {
				return false
			}
		}
		return true
	}
}

// HasID accepts what an insert has: one number at most.
func hasID(reply *protocol.Reply) bool {
	return reply.Columns == 1 && (len(reply.Values) == 0 || len(reply.Values) == 1 && isDigits(reply.Values[0]))
}

func isDigits(value []byte) bool {
	const longest = 20 // Of 64 bits.
	for _, digit := range value {
		if digit < '0' || digit > '9' {
			return false
		}
	}
	return 0 < len(value) && len(value) <= longest
}

// CheckOfFind returns what the reply to a find, a count or a change with this verb must be.
func checkOfFind(verb string, columns, limit int) replyCheck {
	switch {
	case verb == "":
		return hasRows(columns, limit)
	case givesRows(verb):
		return hasRows(columns, 0)
	}
	return hasNumbers(1)
}

// CheckOfInsert returns what the reply to an insert with this verb must be.
func checkOfInsert(verb string, columns int) replyCheck {
	switch {
	case givesRows(verb):
		return hasRows(columns, 0)
	case verb == "+":
		return hasID
	}
	return hasNumbers(2)
}

func givesRows(verb string) bool {
	return strings.HasSuffix(verb, string(Before)) || strings.HasSuffix(verb, string(After))
}
