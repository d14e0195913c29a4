// Package protocol turns requests into bytes and bytes into replies. It knows no socket.
//
// A value is a []byte, and NULL is a nil one. Requests take any value that AppendArgument knows.
package protocol

import "bytes"

const (
	escape    = 0x01
	shift     = 0x40
	firstFree = 0x10 // Bytes from here on stand for themselves.
)

// AppendValue appends the token of a value: nil is NULL.
func AppendValue(dst, value []byte) []byte {
	if value == nil {
		return append(dst, 0)
	}
	clean := 0
	for i, b := range value {
		if b < firstFree {
			dst = append(dst, value[clean:i]...)
			dst = append(dst, escape, b+shift)
			clean = i + 1
		}
	}
	return append(dst, value[clean:]...)
}

func appendText(dst []byte, value string) []byte {
	clean := 0
	for i := 0; i < len(value); i++ {
		if b := value[i]; b < firstFree {
			dst = append(dst, value[clean:i]...)
			dst = append(dst, escape, b+shift)
			clean = i + 1
		}
	}
	return append(dst, value[clean:]...)
}

// CheckEscapes looks at the escapes of tokens.
func checkEscapes(tokens []byte) error {
	for {
		found := bytes.IndexByte(tokens, escape)
		if found < 0 {
			return nil
		}
		if found+1 == len(tokens) || !isShifted(tokens[found+1]) {
			return errEscape
		}
		tokens = tokens[found+2:]
	}
}

var errEscape = &ReplyError{What: "an escape that is none"}

func isShifted(b byte) bool { return shift <= b && b < shift+firstFree }

// ParseValue returns the value of a token. It writes into the token's own bytes, which the value
// shares. NULL is nil, the empty text is not.
func ParseValue(token []byte) ([]byte, error) {
	if len(token) == 1 && token[0] == 0 {
		return nil, nil
	}
	read := bytes.IndexByte(token, escape)
	if read < 0 {
		return token[:len(token):len(token)], nil
	}
	written := read
	for read < len(token) {
		b := token[read]
		if b == escape {
			read++
			if read == len(token) || !isShifted(token[read]) {
				return nil, errEscape
			}
			b = token[read] - shift
		}
		token[written] = b
		written++
		read++
	}
	return token[:written:written], nil
}
