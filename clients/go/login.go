package hs

import (
	"encoding/hex"
	"errors"
	"strings"

	"handlersocket2.org/client/v2/protocol"
)

const nativePassword = "mysql_native_password"

// A port that asks for no account is used without one.
var errNoAccount = errors.New("the port asks for no account")

// Login shows the secret or logs in to the account, and learns the server's features.
func (c *conn) login(o *Options, secret string) error {
	if o.User != "" || o.Password != "" {
		err := c.account(o)
		if err != errNoAccount {
			return err
		}
	}
	if secret != "" {
		return c.authenticate(protocol.AppendSecret(nil, secret), o)
	}
	return c.authenticate(nil, o)
}

// Authenticate sends one line, or none, that is answered with success, and a hello behind it.
func (c *conn) authenticate(line []byte, o *Options) error {
	count := 1
	if line != nil {
		count = 2
	}
	lines, err := protocol.AppendHello(line, 2, o.Name)
	if err != nil {
		return err
	}
	var refused error
	err = c.talk(lines, count, func(i int, reply *protocol.Reply) error {
		switch {
		case refused != nil:
		case i == count-1:
			refused = c.greet(reply)
		case reply.Code != 0:
			refused = newServerError(reply.Code, reply.Text)
		case reply.Columns != 1:
			refused = unexpected("second challenge")
		}
		return nil
	})
	if refused != nil { // A server may close the connection behind it.
		return refused
	}
	return err
}

func (c *conn) greet(reply *protocol.Reply) error {
	switch {
	case reply.Code != 0 && reply.Text == "cmd":
		c.original = true
	case reply.Code != 0:
		return newServerError(reply.Code, reply.Text)
	case reply.Columns == 6 && reply.Len() == 6:
		c.greeted = true
		c.features = strings.Split(string(reply.Values()[4]), ",")
	}
	return nil
}

// Account logs in by the method that the server names, or else by the password itself where that is safe. A port that
// asks for no account is errNoAccount, and never gets the password.
func (c *conn) account(o *Options) error {
	var method string
	var challenge []byte
	var refused error
	none := false
	line := protocol.AppendLogin(nil, o.User, nativePassword, "unix_socket")
	err := c.talk(line, 1, func(_ int, reply *protocol.Reply) error {
		switch {
		case reply.Code != 0:
			refused = newServerError(reply.Code, reply.Text)
			none = reply.Text == "authtype"
		case reply.Columns == 2 && reply.Len() == 2:
			method = string(reply.Values()[0])
			challenge = make([]byte, hex.DecodedLen(len(reply.Values()[1])))
			if _, e := hex.Decode(challenge, reply.Values()[1]); e != nil {
				refused = unexpected("challenge")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if none {
		return errNoAccount
	}
	if refused == nil && method == "" { // The account is that of the process, by the Unix socket.
		return c.authenticate(nil, o)
	}
	if refused == nil && method == nativePassword {
		answer := protocol.NativePassword(o.Password, challenge)
		refused = c.authenticate(protocol.AppendAnswer(nil, answer), o)
	}
	if _, no := refused.(*AuthenticationError); refused != nil && !no || c.broken {
		return refused
	}
	if (refused != nil || method != nativePassword) && c.secure && o.Password != "" {
		return c.authenticate(protocol.AppendPassword(nil, o.User, o.Password), o)
	}
	if refused == nil && method != nativePassword {
		return &AuthenticationError{ServerError{Code: 3, Text: "authtype"}}
	}
	return refused
}
