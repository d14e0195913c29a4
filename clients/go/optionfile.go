package hs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// Trimmed is what a line or a part of it is without the blanks around it.
func trimmed(text string) string { return strings.Trim(text, " \t\r\v\f") }

func parseOptionFile(name, content string) (map[string]string, error) {
	found := map[string]string{}
	group := ""
	for i, line := range strings.Split(content, "\n") {
		line = trimmed(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' && line[len(line)-1] == ']' {
			group = line[1 : len(line)-1]
			continue
		}
		if group == "" {
			where := fmt.Sprintf("a line stands before the first group (%s, line %d)", name, i+1)
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
	}
	return found, nil
}
