package codingame

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dojo/engine"
	"dojo/engine/onitama"
	"dojo/model"
)

// Report is what Verify has seen.
type Report struct {
	Compiler string        `json:"compiler"`
	Turns    int           `json:"turns"`      // of the referee's transcripts, all answered legally
	Exact    int           `json:"exact"`      // positions in which the program's outputs are the student's, bit for bit
	Slowest  time.Duration `json:"slowest_ns"` // of Timed answers at the budget, every core loaded
	Timed    int           `json:"timed"`
	Pause    time.Duration `json:"pause_ns"` // the longest that the machine kept a loop beside the program waiting

	// What rounding to 8 bits costs against the student in floats.
	ValueError Error `json:"value_error"`
	LogitError Error `json:"logit_error"`
}

// Error is a mean and a largest absolute difference.
type Error struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// transcripts are the referee's inputs in games played by it: every one in
// which somebody must pass, and some others.
//
//go:embed transcripts.jsonl.gz
var transcripts []byte

// A transcript is the inputs of both players, turn by turn, in lines.
type transcript struct {
	Turns [2][][]string
}

func readTranscripts() ([]transcript, error) {
	z, err := gzip.NewReader(bytes.NewReader(transcripts))
	if err != nil {
		return nil, err
	}
	var list []transcript
	for d := json.NewDecoder(z); ; {
		var t transcript
		if err := d.Decode(&t); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
}

// A Claim is a source and what its program is to compute.
type Claim struct {
	Language   Language
	Source     string
	Student    *Student
	Checkpoint *model.Checkpoint // the student's, in floats
}

// Verify compiles a source in dir as CodinGame would and runs it: it must
// answer the referee's transcripts with legal actions, give the student's
// outputs bit for bit, and stay within the deadline while other programs keep
// every other core busy.
func Verify(ctx context.Context, claim Claim, dir string) (r Report, program string, err error) {
	s, c := claim.Student, claim.Checkpoint
	if program, r.Compiler, err = Compile(ctx, claim.Language, claim.Source, dir); err != nil {
		return r, "", err
	}
	games, err := readTranscripts()
	if err != nil {
		return r, "", err
	}
	if r.Turns, err = replay(ctx, program, games); err != nil {
		return r, "", fmt.Errorf("the referee's transcripts: %w", err)
	}
	positions, err := Sample(c, 500, 2)
	if err != nil {
		return r, "", err
	}
	if r.Exact, err = exact(ctx, program, s, positions); err != nil {
		return r, "", err
	}
	if r.ValueError, r.LogitError, err = s.errors(ctx, c, positions); err != nil {
		return r, "", err
	}
	seen, err := inTime(ctx, func() (timing, error) { return timed(ctx, program, games) })
	r.Timed, r.Slowest, r.Pause = seen.answers, seen.slowest, seen.pause
	if err != nil {
		return r, "", err
	}
	return r, program, nil
}

// text is a turn's input.
func text(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// replay plays all transcripts and checks that answers are among those offered.
func replay(ctx context.Context, program string, games []transcript) (turns int, err error) {
	for i, g := range games {
		for player, inputs := range g.Turns {
			bot, err := converse(ctx, program, "32")
			if err != nil {
				return turns, err
			}
			for _, in := range inputs {
				answer, _, err := bot.ask(text(in))
				if err != nil {
					return turns, errors.Join(fmt.Errorf("game %d, player %d: %w", i, player, err), bot.close())
				}
				if offered := in[len(in)-offers(in):]; !slices.Contains(offered, answer) {
					return turns, errors.Join(fmt.Errorf("game %d, player %d: the answer %q is none of %q", i, player, answer, offered), bot.close())
				}
				turns++
			}
			if err := bot.close(); err != nil {
				return turns, fmt.Errorf("game %d, player %d: %w", i, player, err)
			}
		}
	}
	return turns, nil
}

// offers is the number of actions that an input offers.
func offers(in []string) int {
	for n := 1; n < len(in); n++ {
		if in[len(in)-1-n] == strconv.Itoa(n) {
			return n
		}
	}
	return 0
}

// exact compares the program's outputs with the student's.
func exact(ctx context.Context, program string, s *Student, positions []onitama.SparseState) (n int, err error) {
	planes := make([]float32, onitama.Sparse.Planes.C)
	logits := make([]int32, len(s.BP))
	for player := range 2 {
		bot, err := converse(ctx, program, "eval")
		if err != nil {
			return n, err
		}
		first := true
		for _, p := range positions {
			if int(p.ToMove()) != player {
				continue
			}
			answer, _, err := bot.ask(onitama.Sparse.Protocols[0].Ask(engine.Forget(p), first))
			if err != nil {
				return n, errors.Join(err, bot.close())
			}
			first = false
			p.Encode(planes)
			want := []string{strconv.Itoa(int(s.Sums(planes, logits)))}
			for _, a := range p.Legal(nil) {
				want = append(want, strconv.Itoa(int(logits[a])))
			}
			if answer != strings.Join(want, " ") {
				return n, errors.Join(fmt.Errorf("in %q the program says %q, the student %q", p, answer, want), bot.close())
			}
			n++
		}
		if err := bot.close(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// errors compares the student with its checkpoint in floats.
func (s *Student) errors(ctx context.Context, c *model.Checkpoint, positions []onitama.SparseState) (value, logit Error, err error) {
	evaluate := func(e model.Evaluator) (*model.Batch, error) {
		b := model.NewBatch(onitama.Sparse.Spec, len(positions))
		b.N = len(positions)
		for i, p := range positions {
			p.Encode(b.Planes[i*onitama.Sparse.Planes.C : (i+1)*onitama.Sparse.Planes.C])
		}
		return b, e.Evaluate(ctx, b)
	}
	a, err := evaluate(s)
	if err != nil {
		return value, logit, err
	}
	b, err := evaluate(model.NewNet(c))
	if err != nil {
		return value, logit, err
	}
	logits := 0
	for i, p := range positions {
		value.add(a.Values[i] - b.Values[i])
		for _, act := range p.Legal(nil) {
			at := i*onitama.Sparse.Actions + int(act)
			logit.add(a.Logits[at] - b.Logits[at])
			logits++
		}
	}
	value.Mean /= float64(len(positions))
	logit.Mean /= float64(logits)
	return value, logit, nil
}

// add counts a difference; the mean is a sum until it is divided.
func (e *Error) add(d float32) {
	x := math.Abs(float64(d))
	e.Mean += x
	e.Max = max(e.Max, x)
}
