//go:build !js

package codingame

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"dojo.example/internal/process"
)

// toolchain is the version of Go that compiles bots on this machine. CodinGame uses a similar
// version.
const toolchain = "go1.18.10"

// missingError says that a compiler is not installed.
type missingError struct{ compiler, advice string }

func (e missingError) Error() string {
	return fmt.Sprintf("the compiler %s is missing, but it must compile the program to verify it; %s", e.compiler, e.advice)
}

// compileSource compiles a source in the folder dir as CodinGame does. It returns the path of the
// program and the compiler's version.
func compileSource(ctx context.Context, l Language, source, dir string) (program, compiler string, err error) {
	if program, err = filepath.Abs(filepath.Join(dir, "bot")); err != nil {
		return "", "", err
	}
	tool, advice, files := "g++", "install it (on Debian: apt-get install g++)", map[string]string{"bot.cpp": source}
	if l == Go {
		tool, advice = "go", "install Go 1.21 or later from https://go.dev/dl"
		files = map[string]string{"main.go": source, "go.mod": "module bot\n\ngo 1.18\n"}
	}
	if _, err := exec.LookPath(tool); err != nil {
		return "", "", missingError{tool, advice}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return "", "", err
		}
	}
	if l == CPP {
		version, err := run(ctx, dir, nil, tool, "-dumpfullversion")
		if err != nil {
			return "", "", err
		}
		_, err = run(ctx, dir, nil, tool, "-std=gnu++17", "-Werror=return-type", "-g", "-pthread", "-o", program, "bot.cpp")
		return program, "g++ " + version, err
	}
	env := []string{"GOTOOLCHAIN=" + toolchain, "GO111MODULE=on", "GOFLAGS=-mod=mod", "GOWORK=off", "GOOS=", "GOARCH=", "CGO_ENABLED=0"}
	version, err := run(ctx, dir, env, tool, "env", "GOVERSION")
	if err != nil {
		return "", "", missingError{toolchain, "the go command downloads it if it can reach its module proxy: " + err.Error()}
	}
	_, err = run(ctx, dir, env, tool, "build", "-o", program, ".")
	return program, version, err
}

// run runs a tool and returns the first line of its output. If the tool fails, the error contains
// the first 2000 bytes of the output.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := process.Command(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if ended := context.Cause(ctx); ended != nil {
		return "", ended
	}
	if err != nil {
		text := append(out, said.Bytes()...)
		if len(text) > 2000 {
			text = append(text[:2000], "…"...)
		}
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(text))
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line, nil
}

// A conversation is a running bot with its input and output.
type conversation struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// talk starts a bot and calls f with it. Then it closes the bot's input and waits until the bot
// exits.
func talk(ctx context.Context, program string, args []string, f func(*conversation) error) error {
	cmd := exec.CommandContext(ctx, program, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(f(&conversation{cmd, in, bufio.NewReader(out)}), in.Close(), cmd.Wait())
}

// ask sends the input of a turn to the bot. It returns the bot's one-line answer and how long the
// bot took.
func (c *conversation) ask(input string) (string, time.Duration, error) {
	began := time.Now()
	if _, err := io.WriteString(c.in, input); err != nil {
		return "", 0, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return "", 0, fmt.Errorf("the bot gave no answer: %w", err)
	}
	return strings.TrimSpace(line), time.Since(began), nil
}
