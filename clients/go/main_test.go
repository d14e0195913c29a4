package hs

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Examples run against the server that HS_TEST_READ_PORT and HS_TEST_WRITE_PORT name, which has the sample
// table test.user, and not at all without one.
func TestMain(m *testing.M) {
	flag.Parse()
	read, write := os.Getenv("HS_TEST_READ_PORT"), os.Getenv("HS_TEST_WRITE_PORT")
	pattern := flag.Lookup("test.run")
	if read != "" && write != "" {
		os.Setenv("HS_URL", fmt.Sprintf("hs://127.0.0.1:%s?write_port=%s", read, write))
	} else if pattern.Value.String() == "" {
		pattern.Value.Set("^Test") //nolint:errcheck // It is a pattern.
	}
	os.Setenv("HS_OPTION_FILE", "/dev/null")
	os.Exit(m.Run())
}
