// Package flags has the kinds of flags that pflag lacks, and says in plain words what is wrong with
// a flag.
package flags

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A timeLimit is the value of a flag for a time; see Time.
type timeLimit time.Duration

// Time adds a flag for a time, which must be above 0 where it is given. Without the flag the
// time is usual; 0 stands for no limit, or what usage says.
func Time(set *pflag.FlagSet, to *time.Duration, name string, usual time.Duration, usage string) {
	*to = usual
	set.Var((*timeLimit)(to), name, usage)
}

// Set reads a time; see pflag.Value and Error.
func (l *timeLimit) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err == nil && d <= 0 {
		err = errors.New("it is not above 0")
	}
	if err == nil {
		*l = timeLimit(d)
	}
	return err
}

// String is the time as it is typed, "" for 0, which help texts do not show as a default.
func (l *timeLimit) String() string {
	if *l == 0 {
		return ""
	}
	return time.Duration(*l).String()
}

// Type is what help texts call the value; see pflag.Value.
func (l *timeLimit) Type() string { return "duration" }

// A Percentage is a share from 0 to 1 as a flag: "2%", "0.5%".
type Percentage struct {
	Share float64
	Given bool // by the flag; false for its default
}

// String is the share as it is typed; see pflag.Value.
func (p *Percentage) String() string {
	return strconv.FormatFloat(p.Share*100, 'g', -1, 64) + "%"
}

// Set reads a share; see pflag.Value.
func (p *Percentage) Set(text string) error {
	number, ok := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(x >= 0 && x <= 100) {
		return errors.New("a share is written like 2% or 0.5%, and is at most 100%")
	}
	*p = Percentage{Share: x / 100, Given: true}
	return nil
}

// Type is what help texts call the value; see pflag.Value.
func (p *Percentage) Type() string { return "percent" }

// Error puts what is wrong with a flag without Go's names for it.
func Error(_ *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return err
	}
	flag := value.GetFlag()
	kind := map[string]string{
		"int": "a whole number", "uint64": "a whole number from 0", "float32": "a number", "bool": "true or false",
		"intSlice": "whole numbers with commas between them", "duration": "a time above 0, such as 30ms or 2h",
	}[flag.Value.Type()]
	if kind == "" {
		return fmt.Errorf("--%s %q: %w", flag.Name, value.GetValue(), value.Unwrap())
	}
	return fmt.Errorf("--%s %q is not %s", flag.Name, value.GetValue(), kind)
}

// required is what cobra says of flags that are missing.
var required = regexp.MustCompile(`required flag\(s\) "([^"]*)" not set`)

// exclusive is what cobra says of flags that exclude each other.
var exclusive = regexp.MustCompile(`if any flags in the group \[[^]]*\] are set none of the others can be; \[([^]]*)\] were all set`)

// Plain puts what cobra says of flags, in the text of an error, plainly, and joins its
// suggestions.
func Plain(text string) string {
	text = exclusive.ReplaceAllStringFunc(text, func(group string) string {
		set := strings.Fields(exclusive.FindStringSubmatch(group)[1])
		return "--" + strings.Join(set, " and --") + " exclude each other"
	})
	text = required.ReplaceAllString(text, "--$1 is missing")
	if before, names, ok := strings.Cut(text, "\n\nDid you mean this?\n"); ok {
		text = before + "; did you mean " + strings.Join(strings.Fields(names), " or ")
	}
	return text
}

// Positional checks the number of arguments by the line of usage: in
// "play GAME [MODEL]" the second may be missing, in "report RUN…" there may be more.
func Positional(cmd *cobra.Command, args []string) error {
	words := strings.Fields(cmd.Use)[1:]
	var missing []string
	for i, word := range words {
		if strings.HasPrefix(word, "-") { // flags
			words = words[:i]
			break
		}
		if !strings.HasPrefix(word, "[") && i >= len(args) {
			missing = append(missing, strings.NewReplacer("…", "", "|", " or ").Replace(word))
		}
	}
	many := strings.Contains(strings.Join(words, " "), "…")
	switch {
	case len(missing) == 1:
		return fmt.Errorf("%s is missing", missing[0])
	case len(missing) > 1:
		last := len(missing) - 1
		return fmt.Errorf("%s and %s are missing", strings.Join(missing[:last], ", "), missing[last])
	case many || len(args) <= len(words):
		return nil
	case len(words) == 0:
		return fmt.Errorf("%s takes no argument, and is given %q", cmd.Name(), args[0])
	}
	return fmt.Errorf("%q is one argument too many for: %s", args[len(words)], cmd.Use)
}
