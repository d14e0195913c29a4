package hs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"
)

func recordInto(seen *[]string) func(string, string, time.Duration, error) {
	return func(kind, table string, _ time.Duration, _ error) {
		*seen = append(*seen, kind+" "+table)
	}
}

func vectors(t *testing.T, name string, cases any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "vectors", name))
	var file struct{ Cases json.RawMessage }
	if err == nil {
		if err = json.Unmarshal(content, &file); err == nil {
			err = json.Unmarshal(file.Cases, cases)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestURLsHaveTheirOptions(t *testing.T) {
	var cases []struct {
		Name, URL string
		Options   map[string]any
		Error     bool
	}
	vectors(t, "urls.json", &cases)
	for _, c := range cases {
		if c.URL == "" {
			continue // Here it is the URL of the environment.
		}
		got, err := ParseURL(c.URL)
		var wrong *ConfigurationError
		if c.Error {
			if !errors.As(err, &wrong) {
				t.Errorf("%s: %+v", c.Name, got)
			}
			continue
		}
		want := DefaultOptions()
		for name, value := range c.Options {
			if e := setters[name](&want, optionText(value)); e != nil {
				t.Errorf("%s: %s: %v", c.Name, name, e)
			}
		}
		if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: %+v instead of %+v, %v", c.Name, got, want, err)
		}
	}
}

func optionText(value any) string {
	switch v := value.(type) {
	case bool:
		return map[bool]string{true: "on", false: "off"}[v]
	case []any:
		all := ""
		for _, one := range v {
			all += "," + fmt.Sprint(one)
		}
		return all[1:]
	}
	return fmt.Sprint(value)
}

func TestErrorsHaveTheirClasses(t *testing.T) {
	var cases []struct {
		Name, Class, Text, Hint string
		Code, Number            int
	}
	vectors(t, "errors.json", &cases)
	for _, c := range cases {
		err := newServerError(c.Code, c.Text)
		server := serverError(err)
		class := reflect.TypeOf(err).Elem().Name()
		if class != c.Class || server.Code != c.Code || server.Text != c.Text || server.Number != c.Number {
			t.Errorf("%s: %#v", c.Name, err)
		}
		message := fmt.Sprintf("handlersocket: %s (code %d)", c.Text, c.Code)
		if c.Hint != "" {
			message += ": " + c.Hint
		}
		check(t, err.Error(), nil, message)
	}
}

func TestAURLHasPercentEncodedParts(t *testing.T) {
	got, err := ParseURL("hs://a%40b:p%3a%2F@[::1]:10/my%2Fdb?write_port=11&tls=verify&timeout=0.5&replicas=a:1,b:2")
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultOptions()
	want.User, want.Password, want.Host, want.Port, want.Database = "a@b", "p:/", "::1", 10, "my/db"
	want.WritePort, want.TLS, want.Timeout = 11, "verify", 500*time.Millisecond
	want.Replicas = []string{"a:1", "b:2"}
	check(t, fmt.Sprintf("%+v", got), nil, fmt.Sprintf("%+v", want))
	got, err = ParseURL("hs+unix:///run/hs.sock?write_socket=/run/w.sock")
	check(t, got.Socket+" "+got.WriteSocket, err, "/run/hs.sock /run/w.sock")
}

func TestAnOptionThatIsWrongIsNamed(t *testing.T) {
	for url, option := range map[string]string{
		"http://x": "url", "hs://h?nosuch=1": "nosuch", "hs://h?tls=off&tls=off": "tls", "hs://h:1?port=2": "port",
		"hs://h?tls=maybe": "tls", "hs://h?port=0": "port", "hs://h?write_port=65536": "write_port",
		"hs://h?timeout=-1": "timeout", "hs://h?timeout=x": "timeout", "hs://h?pool_size=0": "pool_size",
		"hs://u:%zz@h": "password", "hs://::1": "host", "hs+unix://": "socket", "hs://h?retries=": "retries",
		"hs://h?replicas=a": "replicas", "hs://h?read_your_writes=1": "read_your_writes", "hs://h?tls": "tls",
	} {
		_, err := ParseURL(url)
		var wrong *ConfigurationError
		if !errors.As(err, &wrong) || wrong.Option != option {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestTheOptionFileComesBehindURLAndEnvironment(t *testing.T) {
	name := filepath.Join(t.TempDir(), "hs.cnf")
	content := "# ours\n[client]\nuser = nobody\n[hs]\nhost = elsewhere\nuser = max\npassword = file\ntimeout = 3\n"
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HS_OPTION_FILE", name)
	t.Setenv("HS_PASSWORD", "environment")
	got, err := ParseURL("hs://here?timeout=4")
	want := DefaultOptions()
	want.Host, want.User, want.Password, want.Timeout = "here", "max", "environment", 4*time.Second
	check(t, fmt.Sprintf("%+v", got), err, fmt.Sprintf("%+v", want))
}

func TestChangesNeedAWriteSocket(t *testing.T) {
	client, err := Connect("hs+unix:///nowhere")
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Table("test.user").Insert(background, Row{"id": 1})
	var wrong *ConfigurationError
	if !errors.As(err, &wrong) || wrong.Option != "write_socket" {
		t.Error(err)
	}
}

func TestReadsWaitForTheHighestGTIDs(t *testing.T) {
	var cases []struct {
		Name        string
		Told, Known []string
	}
	vectors(t, "gtids.json", &cases)
	for _, c := range cases {
		var known gtids
		for _, told := range c.Told {
			known.add(told)
		}
		sort.Strings(c.Known)
		if got := known.String(); got != strings.Join(c.Known, ",") {
			t.Errorf("%s: %s", c.Name, got)
		}
	}
}
