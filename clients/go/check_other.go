//go:build !unix

package hs

import "net"

// Alive cannot be told here without a read that waits; a broken connection shows with its first request.
func alive(net.Conn) bool { return true }
