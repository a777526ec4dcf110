package main

import (
	"fmt"
	"os"
	"strings"

	"dojo/internal/regular"

	"github.com/spf13/cobra"
)

// tokenVariable is the environment variable with the token. Other users of the machine read
// command lines, but not the environment.
const tokenVariable = "DOJO_TOKEN"

// A secretFlags says where the token of a cluster comes from.
type secretFlags struct{ token, file string }

func (f *secretFlags) register(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&f.token, "token", "", what+"; other users of this machine see it here, and not in "+tokenVariable)
	cmd.Flags().StringVar(&f.file, "token-file", "", "read the token from this file")
	cmd.MarkFlagsMutuallyExclusive("token", "token-file")
}

// read returns the token: of a flag, or else of the environment; "" for none.
func (f *secretFlags) read() (string, error) {
	const most = 1 << 12 // bytes
	switch {
	case f.token != "":
		return f.token, nil
	case f.file == "":
		return os.Getenv(tokenVariable), nil
	}
	text, err := regular.Read(f.file, most)
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, "\r\n") {
		return "", fmt.Errorf("token: %s is not one line", f.file)
	}
	return token, nil
}
