// Package slow marks tests that are too slow for every run of go test ./..., such as tests that
// compile for other processors. They run only if the environment has DOJO_SLOW=1, as in .ci/run.
package slow

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// Test skips the calling test unless DOJO_SLOW=1. what says what the test does, such as "compiles
// for two other processors". The skip message has what and the command that runs the test.
func Test(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("DOJO_SLOW") == "1" {
		return
	}
	caller, _, _, _ := runtime.Caller(1)
	t.Skip(message(runtime.FuncForPC(caller).Name(), t.Name(), what))
}

// message returns the message of a skipped test. function is the full name of the calling function,
// such as dojo/run_test.TestLock or dojo/run.TestLock.func1.
func message(function, test, what string) string {
	slash := strings.LastIndexByte(function, '/')
	name, _, _ := strings.Cut(function[slash+1:], ".")
	pkg := function[:slash+1] + strings.TrimSuffix(name, "_test")
	return fmt.Sprintf("left out: it %s; to run it: DOJO_SLOW=1 go test -run '^%s$' %s", what, strings.ReplaceAll(test, "/", "$/^"), pkg)
}
