// Package slow marks slow tests, such as tests that compile for other processors. An ordinary "go
// test ./..." skips them. They run only if the environment variable DOJO_SLOW is 1, as in .ci/run.
package slow

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// Test skips the calling test unless the environment has DOJO_SLOW=1. The text what explains why
// the test is slow, for example "compiles for two other processors". When the test is skipped, the
// message contains this text and the command that runs the test.
func Test(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("DOJO_SLOW") == "1" {
		return
	}
	caller, _, _, _ := runtime.Caller(1)
	t.Skip(message(runtime.FuncForPC(caller).Name(), t.Name(), what))
}

// message returns the message of a skipped test. function is the full name of the function that
// called Test, such as dojo/run_test.TestLock or dojo/run.TestLock.func1.
func message(function, test, what string) string {
	slash := strings.LastIndexByte(function, '/')
	name, _, _ := strings.Cut(function[slash+1:], ".")
	pkg := function[:slash+1] + strings.TrimSuffix(name, "_test")
	return fmt.Sprintf("left out: it %s; to run it: DOJO_SLOW=1 go test -run '^%s$' %s", what, strings.ReplaceAll(test, "/", "$/^"), pkg)
}
