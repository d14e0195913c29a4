package hs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// The options of the group [hs] of the option file. A file that is not there has none, unless
// HS_OPTION_FILE names it.
func fileOptions() (map[string]string, error) {
	name := os.Getenv("HS_OPTION_FILE")
	named := name != ""
	if !named {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, nil
		}
		name = filepath.Join(home, ".hs.cnf")
	}
	content, err := os.ReadFile(name)
	if err != nil {
		if !named && errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, &ConfigurationError{Option: "HS_OPTION_FILE", What: err.Error()}
	}
	return parseOptionFile(name, string(content))
}

const blanks = " \t\r\v\f"

// Trimmed is what a line or a part of it is without the blanks around it.
func trimmed(text string) string { return strings.Trim(text, blanks) }

func parseOptionFile(name, content string) (map[string]string, error) {
	found, scratch := map[string]string{}, DefaultOptions()
	group, grouped := "", false
	if strings.Contains(content, "\x00") || !utf8.ValidString(content) {
		what := name + " has a NUL byte, or is no UTF-8"
		return nil, &ConfigurationError{Option: "HS_OPTION_FILE", What: what}
	}
	for i, line := range strings.Split(content, "\n") {
		line = trimmed(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		wrong, closed := "", true
		switch {
		case line[0] == '!':
			wrong = "no other file is included"
		case line[0] == '[':
			group, _, closed = strings.Cut(line[1:], "]")
			group, grouped = strings.ToLower(strings.TrimRight(group, blanks)), true
			if closed {
				continue
			}
			wrong = "a group has no ]"
		case !grouped:
			wrong = "a line stands before the first group"
		}
		if wrong != "" {
			where := fmt.Sprintf("%s (%s, line %d)", wrong, name, i+1)
			return nil, &ConfigurationError{Option: "HS_OPTION_FILE", What: where}
		}
		if group != "hs" {
			continue
		}
		option, value, ok := strings.Cut(line, "=")
		option = trimmed(option)
		what := ""
		if _, known := setters[option]; !known {
			what = "it is unknown"
		} else if _, twice := found[option]; twice {
			what = "it is given twice"
		} else if !ok {
			what = "it has no value"
		}
		if what != "" {
			where := fmt.Sprintf("%s (%s, line %d)", what, name, i+1)
			return nil, &ConfigurationError{Option: option, What: where}
		}
		found[option] = trimmed(value)
		if err := setters[option](&scratch, found[option]); err != nil { // Also where it does not count.
			where := fmt.Sprintf("%v (%s, line %d)", err, name, i+1)
			return nil, &ConfigurationError{Option: option, What: where}
		}
	}
	return found, nil
}
