package cli

import (
	"fmt"
	"os"
	"strings"

	"dojo.example/internal/regular"
)

// tokenVariable is the environment variable that can hold the token. It is safer than a flag,
// because other users of the machine can read command lines but not the environment.
const tokenVariable = "DOJO_TOKEN"

// A tokenSource specifies a token: the token itself, or the path of a file that holds it.
type tokenSource struct{ Token, File string }

// read returns Token, or else the token in File, or else the token in the environment, or else "".
func (s tokenSource) read() (string, error) {
	const most = 1 << 12 // bytes
	switch {
	case s.Token != "":
		return s.Token, nil
	case s.File == "":
		return os.Getenv(tokenVariable), nil
	}
	text, err := regular.ReadText(s.File, most)
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, "\r\n") {
		return "", fmt.Errorf("token: the file %s must have exactly one line, the token", s.File)
	}
	return token, nil
}
