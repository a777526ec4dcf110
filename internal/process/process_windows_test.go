package process

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// kill also kills a program that a batch file has started, even after the batch file has ended. The
// program keeps the output open while it runs, so the end of the output shows that it was killed.
func TestStart(t *testing.T) {
	if os.Getenv("DOJO_CHILD") != "" { // true in the program that the batch file starts
		_, _ = os.Stdout.WriteString("begun\n")
		select {}
	}
	for name, line := range map[string]string{"left": "start /b ", "waited for": ""} {
		t.Run(name, func(t *testing.T) {
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			batch := filepath.Join(t.TempDir(), "player.bat")
			if err := os.WriteFile(batch, []byte("@set DOJO_CHILD=1\r\n@"+line+program+" -test.run=^^TestStart$\r\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("cmd", "/c", batch)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			kill, err := Start(cmd)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, 6)); err != nil {
				t.Fatalf("the program has not begun: %v", err)
			}
			kill()
			if _, err := io.Copy(io.Discard, out); err != nil { // returns when no process has the output open
				t.Error(err)
			}
			_ = cmd.Wait() // ignore errors: the program was killed or had already exited
			kill()
		})
	}
}
