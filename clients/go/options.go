package hs

import (
	"errors"
	"fmt"
	"math"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Version is that of this client.
const Version = "2.0.0"

// Options tell where the server is and how it is used. Begin with DefaultOptions.
type Options struct {
	// Host and Port are the read port, WritePort is the write port of the same host.
	Host            string
	Port, WritePort int
	// Socket and WriteSocket are Unix sockets in the place of host and ports. Without WriteSocket there
	// are no changes.
	Socket, WriteSocket string
	// Database is that of tables that are named without one.
	Database string
	// User and Password are the account. With neither there is no login.
	User, Password string
	// Secret is that of a port with a secret, WriteSecret that of the write port, if it is another one.
	Secret, WriteSecret string
	// TLS is "off", "require" (without looking at the certificate) or "verify".
	TLS string
	// TLSCA, TLSCert and TLSKey are files in PEM. Without TLSCA the system's authorities are asked.
	TLSCA, TLSCert, TLSKey string
	// TLSName is the name that the certificate must have; without it, Host.
	TLSName string
	// ConnectTimeout is for connection, TLS and login together; 0: none.
	ConnectTimeout time.Duration
	// Timeout is for a request, or for a whole pipeline; 0: none. It may come later by an eighth. A context ends it in time.
	Timeout time.Duration
	// PoolSize is how many connections there are to each place, at most.
	PoolSize int
	// MaxIdle is after what time a connection that is not used is closed; 0: never.
	MaxIdle time.Duration
	// Name is what operators see.
	Name string
	// Replicas are read ports, as host:port, that take the reads in turns.
	Replicas []string
	// ReadYourWrites makes a read on a replica wait for the client's own last change.
	ReadYourWrites bool
	// GTIDTimeout is for how long; then the primary is asked. At most 10 minutes.
	GTIDTimeout time.Duration
	// Retries is how often a request that is safe to repeat is sent again.
	Retries int
	// OnRequest is called after each call, for metrics and tracing; nil: not at all. It may be called
	// from many goroutines at once. Kind is the call's name, as "get". One that panics is logged.
	OnRequest func(kind, table string, elapsed time.Duration, err error)
}

// DefaultOptions returns the options of a server on this machine.
func DefaultOptions() Options {
	return Options{
		Host: "127.0.0.1", Port: 9998, WritePort: 9999, TLS: "off",
		ConnectTimeout: 5 * time.Second, Timeout: 30 * time.Second, PoolSize: 16,
		MaxIdle: 60 * time.Second, Name: "handlersocket2-go/" + Version,
		GTIDTimeout: time.Second, Retries: 2,
	}
}

// A program may have set anything.
func (o *Options) check() error {
	for name, bounds := range wholes {
		if value := *bounds.field(o); value < bounds.least || value > bounds.most {
			return &ConfigurationError{Option: name, What: bounds.wrong(strconv.Itoa(value)).Error()}
		}
	}
	for name, bounds := range times {
		if value := *bounds.field(o); value < 0 || value > time.Duration(bounds.most)*time.Second {
			return &ConfigurationError{Option: name, What: bounds.wrong(value.String()).Error()}
		}
	}
	for name, field := range texts {
		if err := checkText(name, *field(o)); err != nil && (*field(o) != "" || mustBe[name]) {
			return &ConfigurationError{Option: name, What: err.Error()}
		}
	}
	if err := setters["tls"](o, o.TLS); err != nil {
		return &ConfigurationError{Option: "tls", What: err.Error()}
	}
	if err := checkAddresses(o.Replicas); err != nil {
		return &ConfigurationError{Option: "replicas", What: err.Error()}
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		return &ConfigurationError{Option: "tls_key", What: "tls_cert and tls_key belong together"}
	}
	return nil
}

// The timeout of a request for which the server may wait.
func (o *Options) patience(extra time.Duration) time.Duration {
	if o.Timeout == 0 {
		return 0
	}
	return o.Timeout + extra
}

func join(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

type setter func(o *Options, value string) error

type whole struct {
	least, most int
	field       func(*Options) *int
}

var wholes = map[string]whole{
	"port":       {1, 65535, func(o *Options) *int { return &o.Port }},
	"write_port": {1, 65535, func(o *Options) *int { return &o.WritePort }},
	"pool_size":  {1, 65535, func(o *Options) *int { return &o.PoolSize }},
	"retries":    {0, 1000, func(o *Options) *int { return &o.Retries }},
}

func (w whole) wrong(value string) error {
	return fmt.Errorf("it is a whole number from %d to %d, not %q", w.least, w.most, value)
}

type span struct {
	most  int // seconds
	field func(*Options) *time.Duration
}

var times = map[string]span{
	"connect_timeout": {1e6, func(o *Options) *time.Duration { return &o.ConnectTimeout }},
	"timeout":         {1e6, func(o *Options) *time.Duration { return &o.Timeout }},
	"max_idle":        {1e6, func(o *Options) *time.Duration { return &o.MaxIdle }},
	"gtid_timeout":    {600, func(o *Options) *time.Duration { return &o.GTIDTimeout }},
}

func (s span) wrong(value string) error {
	return fmt.Errorf("it is seconds from 0 to %d, not %q", s.most, value)
}

var texts = map[string]func(*Options) *string{
	"host":         func(o *Options) *string { return &o.Host },
	"socket":       func(o *Options) *string { return &o.Socket },
	"write_socket": func(o *Options) *string { return &o.WriteSocket },
	"database":     func(o *Options) *string { return &o.Database },
	"user":         func(o *Options) *string { return &o.User },
	"password":     func(o *Options) *string { return &o.Password },
	"secret":       func(o *Options) *string { return &o.Secret },
	"write_secret": func(o *Options) *string { return &o.WriteSecret },
	"tls_ca":       func(o *Options) *string { return &o.TLSCA },
	"tls_cert":     func(o *Options) *string { return &o.TLSCert },
	"tls_key":      func(o *Options) *string { return &o.TLSKey },
	"tls_name":     func(o *Options) *string { return &o.TLSName },
	"name":         func(o *Options) *string { return &o.Name },
}

// The texts that a program cannot leave out: what is empty in the others is as none.
var mustBe = map[string]bool{"host": true, "name": true}

var setters = map[string]setter{
	"tls":              choice(func(o *Options, v string) { o.TLS = v }, "off", "require", "verify"),
	"replicas":         setReplicas,
	"read_your_writes": choice(func(o *Options, v string) { o.ReadYourWrites = v == "on" }, "on", "off"),
}

func init() {
	for name := range texts {
		setters[name] = text(name)
	}
	for name := range wholes {
		setters[name] = number(name)
	}
	for name := range times {
		setters[name] = seconds(name)
	}
}

func text(name string) setter {
	return func(o *Options, value string) error {
		*texts[name](o) = value
		return checkText(name, value)
	}
}

// CheckText does not tell the value, which may be secret.
func checkText(name, value string) error {
	switch name {
	case "password", "secret", "write_secret":
		if strings.ContainsRune(value, 0) {
			return errors.New("it is text without NUL")
		}
	case "name":
		if value == "" || strings.IndexFunc(value, isControl) >= 0 {
			return errors.New("it is text of one character or more, without control characters")
		}
	default:
		if value == "" || strings.ContainsRune(value, 0) {
			return errors.New("it is text of one character or more, without NUL")
		}
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

var (
	wholeNumber   = regexp.MustCompile(`^[0-9]{1,10}$`)
	decimalNumber = regexp.MustCompile(`^[0-9]{1,10}(\.[0-9]+)?$`)
)

func number(name string) setter {
	bounds := wholes[name]
	return func(o *Options, value string) error {
		parsed, err := strconv.ParseInt(value, 10, 64)
		if err != nil || parsed < int64(bounds.least) || parsed > int64(bounds.most) || !wholeNumber.MatchString(value) {
			return bounds.wrong(value)
		}
		*bounds.field(o) = int(parsed)
		return nil
	}
}

// The shortest time is a nanosecond, as zero means none.
func seconds(name string) setter {
	bounds := times[name]
	return func(o *Options, value string) error {
		parsed, err := strconv.ParseFloat(value, 64)
		if err != nil || parsed > float64(bounds.most) || !decimalNumber.MatchString(value) {
			return bounds.wrong(value)
		}
		*bounds.field(o) = time.Duration(math.Ceil(parsed * float64(time.Second)))
		return nil
	}
}

func choice(set func(*Options, string), allowed ...string) setter {
	return func(o *Options, value string) error {
		for _, candidate := range allowed {
			if value == candidate {
				set(o, value)
				return nil
			}
		}
		last := len(allowed) - 1
		return fmt.Errorf("it is %s or %s, not %q", strings.Join(allowed[:last], ", "), allowed[last], value)
	}
}

func setReplicas(o *Options, value string) error {
	o.Replicas = strings.Split(value, ",")
	return checkAddresses(o.Replicas)
}
