package hs

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseURL returns the options of a URL. What it does not name comes from the environment (HS_PASSWORD,
// HS_SECRET), the option file (HS_OPTION_FILE or ~/.hs.cnf, group [hs]), or is as by default. The empty
// URL is that of HS_URL.
func ParseURL(address string) (Options, error) {
	options := DefaultOptions()
	if address == "" {
		address = os.Getenv("HS_URL")
	}
	given, err := urlOptions(address)
	if err != nil {
		return options, err
	}
	for name, variable := range map[string]string{"password": "HS_PASSWORD", "secret": "HS_SECRET"} {
		if value, ok := os.LookupEnv(variable); ok {
			setDefault(given, name, value)
		}
	}
	file, err := fileOptions()
	if err != nil {
		return options, err
	}
	if address != "" { // The URL says where the server is.
		for _, name := range [...]string{"host", "port", "write_port", "socket", "write_socket"} {
			delete(file, name)
		}
	}
	for name, value := range file {
		setDefault(given, name, value)
	}
	for name, value := range given {
		if err := setters[name](&options, value); err != nil {
			return options, &ConfigurationError{Option: name, What: err.Error()}
		}
	}
	return options, nil
}

func setDefault(given map[string]string, name, value string) {
	if _, ok := given[name]; !ok {
		given[name] = value
	}
}

func urlOptions(address string) (map[string]string, error) {
	given := map[string]string{}
	if address == "" {
		return given, nil
	}
	for i := 0; i < len(address); i++ {
		if address[i] <= ' ' || address[i] == 0x7f {
			return nil, &ConfigurationError{Option: "url", What: "it has a blank or a control character"}
		}
	}
	rest, query, _ := strings.Cut(address, "?")
	scheme, rest, ok := strings.Cut(rest, "://")
	if !ok || scheme != "hs" && scheme != "hs+unix" || strings.Contains(address, "#") {
		return nil, &ConfigurationError{Option: "url", What: "it is not hs://… or hs+unix://…"}
	}
	authority, path := rest, ""
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		authority, path = rest[:slash], rest[slash:]
	}
	if err := parseAuthority(given, authority, scheme == "hs"); err != nil {
		return nil, err
	}
	name := "database"
	if scheme == "hs+unix" {
		name = "socket"
	} else {
		path = strings.TrimPrefix(path, "/")
	}
	if path != "" {
		if err := give(given, name, path); err != nil {
			return nil, err
		}
	} else if scheme == "hs+unix" {
		return nil, &ConfigurationError{Option: "socket", What: "it is missing"}
	}
	return given, parseQuery(given, query)
}

func parseAuthority(given map[string]string, authority string, tcp bool) error {
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, password, has := strings.Cut(authority[:at], ":")
		authority = authority[at+1:]
		if err := give(given, "user", user); err != nil {
			return err
		}
		if has {
			if err := give(given, "password", password); err != nil {
				return err
			}
		}
	}
	if authority == "" {
		return nil
	}
	if !tcp {
		return &ConfigurationError{Option: "host", What: "a Unix socket has none"}
	}
	host := authority
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		host = authority[:colon]
		if err := give(given, "port", authority[colon+1:]); err != nil {
			return err
		}
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
		if net.ParseIP(host) == nil {
			return &ConfigurationError{Option: "host", What: fmt.Sprintf("%q is no address", host)}
		}
	} else if strings.ContainsAny(host, ":[]") {
		return &ConfigurationError{Option: "host", What: "an IPv6 address stands in brackets"}
	}
	if host == "" {
		return nil
	}
	return give(given, "host", host)
}

func parseQuery(given map[string]string, query string) error {
	if query == "" {
		return nil
	}
	for _, pair := range strings.Split(query, "&") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return &ConfigurationError{Option: name, What: "it has no value"}
		}
		if err := give(given, name, value); err != nil {
			return err
		}
	}
	return nil
}

func give(given map[string]string, name, escaped string) error {
	if _, known := setters[name]; !known {
		return &ConfigurationError{Option: name, What: "it is unknown"}
	}
	if _, twice := given[name]; twice {
		return &ConfigurationError{Option: name, What: "it is given twice"}
	}
	value, err := url.PathUnescape(escaped)
	if err != nil {
		return &ConfigurationError{Option: name, What: err.Error()}
	}
	if !utf8.ValidString(value) {
		return &ConfigurationError{Option: name, What: "it is no UTF-8"}
	}
	given[name] = value
	return nil
}

const maxReplicas = 32

var hostAndPort = regexp.MustCompile(`^(\[[0-9a-fA-F:.]+\]|[^:\[\]\s/\x00]+):([0-9]{1,5})$`)

func checkAddresses(addresses []string) error {
	wrong := fmt.Errorf("it is host:port,host:port, %d at most, not %q", maxReplicas, strings.Join(addresses, ","))
	if len(addresses) > maxReplicas {
		return wrong
	}
	for _, address := range addresses {
		parts := hostAndPort.FindStringSubmatch(address)
		if parts == nil || parts[1][0] == '[' && net.ParseIP(strings.Trim(parts[1], "[]")) == nil {
			return wrong
		}
		if port, err := strconv.Atoi(parts[2]); err != nil || port < 1 || port > 65535 {
			return wrong
		}
	}
	return nil
}
