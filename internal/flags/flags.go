// Package flags adds kinds of command-line flags that the library pflag does not have, and rewrites
// errors about flags in plain words.
package flags

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"dojo.example/internal/memory"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A value is the value of a flag. A function parses the text that the user types and sets it; see
// pflag.Value and Error.
type value struct {
	kind  string // kind of value, as shown in help texts
	usual string // default, as shown in help texts; "" to show none
	set   func(text string) error
	given string // the text that the user typed last, or ""
}

func (v *value) Type() string   { return v.kind }
func (v *value) String() string { return v.usual }
func (v *value) text() string   { return v.given }

func (v *value) Set(text string) error {
	v.given = text
	return v.set(text)
}

// Text returns the value of a flag that the user gave, as the user could type it.
func Text(flag *pflag.Flag) string {
	if v, ok := flag.Value.(interface{ text() string }); ok {
		return v.text()
	}
	return flag.Value.String()
}

// A rangeError says why a number is not allowed. The text continues a sentence that begins with the
// number, for example "is less than 1".
type rangeError string

func (e rangeError) Error() string { return string(e) }

// Time adds a flag for a duration above 0. usual is the default; 0 means none. Help texts then show
// no default: without the flag there is no limit, unless usage says something else.
func Time(set *pflag.FlagSet, to *time.Duration, name string, usual time.Duration, usage string) {
	*to = usual
	shown := ""
	if usual > 0 {
		shown = usual.String()
	}
	set.Var(&value{kind: "duration", usual: shown, set: func(text string) (err error) {
		if *to, err = time.ParseDuration(text); err == nil && *to <= 0 {
			err = errors.New("it is not above 0")
		}
		return err
	}}, name, usage)
}

// Int adds a flag for a number from least to most. usual is the default.
func Int(set *pflag.FlagSet, to *int, name string, usual, least, most int, usage string) {
	*to = usual
	set.Var(number(to, strconv.Itoa(usual), least, most, 1), name, usage)
}

// IntOr adds a flag for a number from least to most. If the user does not give the flag, *to is set
// to unset. Help texts show usual as the default.
func IntOr(set *pflag.FlagSet, to *int, name string, unset, least, most int, usual, usage string) {
	*to = unset
	set.Var(number(to, usual, least, most, 1), name, usage)
}

// Seed adds the flag --seed for a decimal number. It does not use pflag's own number flag, which
// parses numbers as Go does, so that 010 would mean 8.
func Seed(set *pflag.FlagSet, to *uint64, usual uint64, usage string) {
	*to = usual
	shown := ""
	if usual != 0 {
		shown = strconv.FormatUint(usual, 10)
	}
	set.Var(&value{kind: "uint64", usual: shown, set: func(text string) (err error) {
		*to, err = strconv.ParseUint(text, 10, 64)
		return err
	}}, "seed", usage)
}

// Games adds the flag --games for a number of games. The number must be even, because every opening
// is played twice.
func Games(set *pflag.FlagSet, to *int, usual, least int, usage string) {
	*to = usual
	set.Var(number(to, strconv.Itoa(usual), least, 10_000_000, 2), "games", usage)
}

// Workers adds the flag --workers for a number of goroutines. The default, which is also the
// meaning of 0, is the number of cores.
func Workers(set *pflag.FlagSet, to *int, usage string) {
	*to = runtime.GOMAXPROCS(0)
	set.Var(number(to, "", 0, 4096, 1), "workers", usage)
}

// memoryLimit is the value of the flag --memory.
type memoryLimit struct {
	value
	said, usual memory.Size
}

// Memory adds the flag --memory, which limits the memory of the process. Without the flag, the
// limit is usual; see memory.Allow.
func Memory(set *pflag.FlagSet, usual memory.Size) {
	without := "half of the machine's"
	if usual == memory.Some {
		without = usual.String() + ", or half of the machine's if that is less"
	}
	f := &memoryLimit{usual: usual}
	f.value = value{kind: "size", set: func(text string) (err error) {
		if f.said, err = memory.ParseSize(text); err == nil && f.said < leastMemory {
			err = rangeError(fmt.Sprintf("is less than %v", leastMemory))
		}
		return err
	}}
	set.Var(f, "memory", fmt.Sprintf("memory that the process may take, such as 4GiB (default: %s)", without))
}

// leastMemory is the smallest limit that --memory accepts, because the program itself needs some
// memory.
const leastMemory = 256 << 20 * memory.Size(1)

// AllowMemory sets the memory limit of the process to the value of the flag --memory. If the user
// has not given the flag, the command's usual limit applies. If the command has no such flag, the
// limit is memory.Free.
func AllowMemory(set *pflag.FlagSet) {
	if flag := set.Lookup("memory"); flag != nil {
		f := flag.Value.(*memoryLimit)
		memory.Allow(f.said, f.usual)
		return
	}
	memory.Allow(0, memory.Free)
}

// number returns a flag for a number from least to most that is a multiple of step. If usual is "",
// the user may also give 0, which means the default.
func number(to *int, usual string, least, most, step int) *value {
	return &value{kind: "int", usual: usual, set: func(text string) error {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil:
			return err
		case n < least:
			return rangeError(fmt.Sprintf("is less than %d", least))
		case n > most:
			return rangeError(fmt.Sprintf("is more than %d", most))
		case n%step != 0:
			return rangeError("is odd: every opening is played twice")
		case n > 0 || usual != "":
			*to = n
		}
		return nil
	}}
}

// Percent adds a flag for a fraction from 0 to 1. The user gives it as a percentage, such as 2% or
// 0.5%.
func Percent(set *pflag.FlagSet, to *float64, name string, usual float64, usage string) {
	*to = usual
	set.Var(&value{kind: "percent", usual: strconv.FormatFloat(usual*100, 'g', -1, 64) + "%", set: func(text string) error {
		number, ok := strings.CutSuffix(text, "%")
		x, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil || !(x >= 0 && x <= 100) {
			return errors.New("write a share from 0% to 100%, such as 2% or 0.5%")
		}
		*to = x / 100
		return nil
	}}, name, usage)
}

// Choice adds a flag whose value is one of the given words. It calls set with the word that the user
// gives. Help texts show usual as the default.
func Choice(flags *pflag.FlagSet, set func(word string), name, usual string, words []string, usage string) {
	flags.Var(&value{kind: "string", usual: usual, set: func(text string) error {
		if !slices.Contains(words, text) {
			last := len(words) - 1
			return fmt.Errorf("write %s or %s", strings.Join(words[:last], ", "), words[last])
		}
		set(text)
		return nil
	}}, name, usage)
}

// Error rewrites an error about a flag in plain words, because pflag and Go use terms that users do
// not know.
func Error(err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return err
	}
	flag := value.GetFlag()
	if limit := rangeError(""); errors.As(err, &limit) {
		return fmt.Errorf("--%s %s %w", flag.Name, value.GetValue(), limit)
	}
	kind := map[string]string{
		"int": "a whole number", "uint64": "a whole number from 0", "float32": "a number", "float64": "a number", "bool": "true or false",
		"intSlice": "whole numbers with commas between them", "duration": "a time above 0, such as 30ms or 2h",
	}[flag.Value.Type()]
	if kind == "" {
		return fmt.Errorf("--%s %q: %w", flag.Name, value.GetValue(), value.Unwrap())
	}
	return fmt.Errorf("--%s %q is not %s", flag.Name, value.GetValue(), kind)
}

// excludes is the key of a flag annotation, which lists the flags that the flag cannot be combined
// with.
const excludes = "excludes"

// Exclude declares that a flag cannot be combined with any of the others.
func Exclude(cmd *cobra.Command, name string, others ...string) {
	for _, other := range others {
		cmd.MarkFlagsMutuallyExclusive(name, other) // so that shell completion offers only one of the two
	}
	flag := cmd.Flags().Lookup(name)
	_ = cmd.Flags().SetAnnotation(name, excludes, append(flag.Annotations[excludes], others...)) // cannot fail, because the flag belongs to cmd
}

// Require declares that the user must give a flag.
func Require(cmd *cobra.Command, name string) {
	_ = cmd.MarkFlagRequired(name) // cannot fail, because the flag belongs to cmd
}

// Check returns an error if the user has not given a required flag, or has given two flags that
// cannot be combined.
func Check(cmd *cobra.Command) (err error) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[cobra.BashCompOneRequiredFlag] != nil && !flag.Changed {
			err = cmp.Or(err, fmt.Errorf("--%s is missing", flag.Name))
		}
		for _, other := range flag.Annotations[excludes] {
			if flag.Changed && cmd.Flags().Changed(other) {
				err = cmp.Or(err, fmt.Errorf("--%s and --%s exclude each other", min(flag.Name, other), max(flag.Name, other)))
			}
		}
	})
	return err
}
