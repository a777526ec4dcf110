// The program reader tests whether a run can train on Windows while another program, such as a
// script, an editor or a virus scanner, reads the run's files. Its command line is reader RUN STOP.
// It reads RUN/best and RUN/metrics.jsonl in a loop until the file STOP exists.
//
// Windows cannot replace a file that os.Open has opened. The reader keeps both files open until a
// temporary file shows that training is about to replace one of them, and for a moment longer. So
// every file that training replaces is in use at that time.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	run, stop := os.Args[1], os.Args[2]
	loops := 0
	for ; !exists(stop); loops++ {
		var files []*os.File
		for _, name := range []string{"best", "metrics.jsonl"} {
			f, err := os.Open(filepath.Join(run, name))
			if err != nil {
				continue // the file does not exist yet
			}
			if _, err := io.Copy(io.Discard, f); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			files = append(files, f)
		}
		temporary := filepath.Join(run, ".tmp-dojo-*")
		for len(files) > 0 && !exists(temporary) && !exists(stop) {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
		for _, f := range files {
			_ = f.Close() // an error does no harm, because the file was only read
		}
		for exists(temporary) && !exists(stop) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	fmt.Println("best and metrics.jsonl were in use", loops, "times")
}

// exists reports whether a file exists whose path matches pattern.
func exists(pattern string) bool {
	all, err := filepath.Glob(pattern)
	return err == nil && len(all) > 0
}
