package hs

import (
	"bufio"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	hello   = "0\t6\t2\tfake\t1\t10.11\tdescending,all,count,describe,upsert,returning,gtid,transaction\t1\n"
	columns = "0\t8\tid\tint(11)\tNO\tPRI\t\x00\t\t\x00\t\tname\tvarchar(9)\tYES\t\tNULL\t\tutf8mb4\t\n"
	cut     = "\x00cut" // In an answer: what stands before is sent, then the connection is closed.
	silence = ""
)

// A fake is a server whose answers a test tells.
type fake struct {
	t        *testing.T
	listener net.Listener
	answer   func(line string) string
	pieces   int // How many bytes are written at once; 0: all.

	mutex sync.Mutex
	open  map[net.Conn]bool
	most  int // How many connections there were at once.
	lines []string
}

func newFake(t *testing.T, answer func(line string) string) *fake {
	t.Helper()
	return newFakeOn(t, answer, func(*fake) {})
}

func newFakeOn(t *testing.T, answer func(line string) string, prepare func(*fake)) *fake {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, listener: listener, answer: answer, open: map[net.Conn]bool{}}
	prepare(f)
	go f.accept()
	t.Cleanup(func() { listener.Close(); f.cutAll() })
	return f
}

func (f *fake) accept() {
	for {
		connection, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.mutex.Lock()
		f.open[connection] = true
		if len(f.open) > f.most {
			f.most = len(f.open)
		}
		f.mutex.Unlock()
		go f.serve(connection)
	}
}

func (f *fake) serve(connection net.Conn) {
	defer func() {
		connection.Close()
		f.mutex.Lock()
		delete(f.open, connection)
		f.mutex.Unlock()
	}()
	lines := bufio.NewScanner(connection)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		reply := f.reply(lines.Text())
		whole, _, closes := strings.Cut(reply, cut)
		step := f.pieces
		if step == 0 {
			step = len(whole)
		}
		for len(whole) > 0 {
			if step > len(whole) {
				step = len(whole)
			}
			if _, err := connection.Write([]byte(whole[:step])); err != nil {
				return
			}
			whole = whole[step:]
		}
		if closes {
			return
		}
	}
}

func (f *fake) reply(line string) string {
	f.mutex.Lock()
	f.lines = append(f.lines, line)
	f.mutex.Unlock()
	if reply := f.answer(line); reply != "usual" {
		return reply
	}
	switch {
	case line[0] == 'H':
		return hello
	case strings.HasSuffix(line, "\tI"):
		return "0\t6\tPRIMARY\t1\tid\t1\tA\t\x00\n"
	case line[0] == 'D':
		return columns
	}
	return "0\t1\n"
}

// Count returns how many lines had this beginning.
func (f *fake) count(prefix string) int {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	found := 0
	for _, line := range f.lines {
		if strings.HasPrefix(line, prefix) {
			found++
		}
	}
	return found
}

func (f *fake) cutAll() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for connection := range f.open {
		connection.Close()
	}
}

func (f *fake) port() int { return f.listener.Addr().(*net.TCPAddr).Port }

// Client returns a client of this server for both ports.
func (f *fake) client(set ...func(*Options)) *Client {
	f.t.Helper()
	options := DefaultOptions()
	options.Port, options.WritePort = f.port(), f.port()
	options.Timeout = time.Minute
	for _, change := range set {
		change(&options)
	}
	client, err := Open(options)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { client.Close() })
	return client
}

// Users is a fake's table with the row (1, "one").
func rows(line string) string {
	switch {
	case strings.HasPrefix(line, "0\t=\t1\t1"):
		return "0\t2\t1\tone\n"
	case strings.HasPrefix(line, "0\t=\t"):
		return "0\t2\n"
	}
	return "usual"
}
