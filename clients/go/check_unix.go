//go:build unix

package hs

import (
	"crypto/tls"
	"net"
	"syscall"
)

// Alive tells whether an idle connection can still be used: there is nothing to read from it, not even its end.
func alive(connection net.Conn) bool {
	if encrypted, ok := connection.(*tls.Conn); ok {
		connection = encrypted.NetConn()
	}
	socket, ok := connection.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	quiet := false
	err = raw.Read(func(descriptor uintptr) bool {
		var one [1]byte
		_, _, e := syscall.Recvfrom(int(descriptor), one[:], syscall.MSG_PEEK)
		quiet = e == syscall.EAGAIN || e == syscall.EWOULDBLOCK
		return true
	})
	return err == nil && quiet
}
