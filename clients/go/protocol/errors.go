package protocol

import "fmt"

// A ValueError is a value, a name or a number that cannot be sent. Nothing was sent.
type ValueError struct {
	// What says what is wrong, in English.
	What string
}

func (e *ValueError) Error() string { return "handlersocket: " + e.What }

// HandlerSocket marks the errors of this module.
func (e *ValueError) HandlerSocket() {}

func valueError(format string, arguments ...any) error {
	return &ValueError{What: fmt.Sprintf(format, arguments...)}
}

// A ReplyError says that what came is no reply of the protocol. The connection is of no use any more.
type ReplyError struct {
	// What says what is wrong, in English.
	What string
}

func (e *ReplyError) Error() string { return "no reply of the protocol: " + e.What }
