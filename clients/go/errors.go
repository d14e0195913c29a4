package hs

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"handlersocket2.org/client/v2/protocol"
)

// An Error is any error of this module.
type Error interface {
	error
	// HandlerSocket marks the errors of this module.
	HandlerSocket()
}

// A ValueError is a value, a name or a number that cannot be sent: nothing was sent. It is a value, too, that the field of
// a struct cannot hold.
type ValueError = protocol.ValueError

// A ConfigurationError is an option that is unknown, given twice or has a value that it cannot have.
type ConfigurationError struct {
	// Option names it.
	Option string
	// What says what is wrong, in English.
	What string
}

func (e *ConfigurationError) Error() string {
	return "handlersocket: option " + e.Option + ": " + e.What
}

// HandlerSocket marks the errors of this module.
func (e *ConfigurationError) HandlerSocket() {}

// A ConnectionError says that there is no connection, or that it broke.
type ConnectionError struct {
	// Sent tells whether the request may have been carried out.
	Sent bool
	// Err is the reason.
	Err error
}

func (e *ConnectionError) Error() string { return "handlersocket: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *ConnectionError) Unwrap() error { return e.Err }

// HandlerSocket marks the errors of this module.
func (e *ConnectionError) HandlerSocket() {}

// A TimeoutError is a ConnectionError: it took too long, and the connection is closed.
type TimeoutError struct{ ConnectionError }

// Unwrap returns the ConnectionError.
func (e *TimeoutError) Unwrap() error { return &e.ConnectionError }

// Timeout is true, as of a net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// A ProtocolError is a ConnectionError: what came is no reply, or one to something else, and the connection is closed.
type ProtocolError struct{ ConnectionError }

// Unwrap returns the ConnectionError.
func (e *ProtocolError) Unwrap() error { return &e.ConnectionError }

// An UnsupportedError says that the server has not this feature.
type UnsupportedError struct {
	// Feature is its name, as H has it.
	Feature string
}

func (e *UnsupportedError) Error() string {
	return "handlersocket: the server has not the feature " + e.Feature
}

// HandlerSocket marks the errors of this module.
func (e *UnsupportedError) HandlerSocket() {}

// A ServerError is an error reply. Each of the errors that embed it is one, for errors.As.
type ServerError struct {
	// Code is 1 (the server refused), 2 (the request is wrong) or 3 (authentication).
	Code int
	// Text is that of the reply, as it came.
	Text string
	// Number is that of an SQL error, for sql_ and access_denied, else 0.
	Number int
}

func (e *ServerError) Error() string {
	message := fmt.Sprintf("handlersocket: %s (code %d)", e.Text, e.Code)
	word, _, _ := strings.Cut(e.Text, " ")
	hint := hints[e.Text]
	if hint == "" {
		hint = hints[word]
	}
	if hint != "" {
		message += ": " + hint
	}
	return message
}

// HandlerSocket marks the errors of this module.
func (e *ServerError) HandlerSocket() {}

// EndsConnection tells whether the server ends the connection behind this error, or may.
func endsConnection(text string) bool {
	switch text {
	case "insecure_transport", "max_memory", "request_too_long", "shutdown", "too_many_connections":
		return true
	}
	return false
}

func newServerError(code int, text string) error {
	word, rest, _ := strings.Cut(text, " ")
	server := ServerError{Code: code, Text: text}
	if strings.HasPrefix(word, "sql_") {
		server.Number, _ = strconv.Atoi(word[len("sql_"):])
	} else if word == "access_denied" {
		number, _, _ := strings.Cut(rest, " ")
		server.Number, _ = strconv.Atoi(number)
	}
	if strings.HasPrefix(word, "too_many_") {
		word = "too_many_"
	}
	if wrap, ok := classes[word]; ok {
		return wrap(server)
	}
	return &server
}

func connectionError(err error, sent bool) error {
	if _, ours := err.(Error); ours {
		return err
	}
	base := ConnectionError{Sent: sent, Err: err}
	if timedOut(err) {
		return &TimeoutError{base}
	}
	if _, ok := err.(*protocol.ReplyError); ok {
		return &ProtocolError{base}
	}
	return &base
}

func isProtocolError(err error) bool {
	_, is := err.(*ProtocolError)
	return is
}

func unexpected(what string) error {
	return connectionError(&protocol.ReplyError{What: fmt.Sprintf("unexpected %s", what)}, true)
}

func serverError(err error) *ServerError {
	var server *ServerError
	if errors.As(err, &server) {
		return server
	}
	return nil
}
