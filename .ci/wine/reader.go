// The program reader has best and metrics.jsonl of a run open most of the time, as a virus scanner, an
// editor or a script may have, until the file STOP is there: reader RUN STOP. os.Open does not let others
// replace or remove an open file of Windows.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	for reads := 0; ; {
		for _, name := range []string{"best", "metrics.jsonl"} {
			f, err := os.Open(filepath.Join(os.Args[1], name))
			if err != nil {
				continue // not yet
			}
			_, err = io.Copy(io.Discard, f)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			reads++
			time.Sleep(9 * time.Millisecond) // open, and then closed for a moment
			_ = f.Close()
		}
		time.Sleep(3 * time.Millisecond)
		if _, err := os.Stat(os.Args[2]); err == nil {
			fmt.Println(reads, "reads")
			return
		}
	}
}
