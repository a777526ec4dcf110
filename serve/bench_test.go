package serve

import (
	"bytes"
	"fmt"
	"testing"

	"dojo.example/configs"
	"dojo.example/internal/cputime"
	"dojo.example/train"
)

// The benchmark measures six pages that watch a running run of 400 generations. One operation is
// the server's work for them in one second. "%core" is the share of one core that self-play loses
// to that work.
func BenchmarkSixPages(b *testing.B) {
	f := smallRun(b)
	change(b, f, func(c *configs.Config) { c.Train.Generations = 1000 })
	takeBack(b, f, 1)
	_, rest, _ := bytes.Cut(takeBack(b, f, 0), []byte(`"generation":0`))
	const generations = 400
	for g := range generations {
		text := bytes.Replace(rest, []byte(`"best":"000000"`), fmt.Appendf(nil, `"best":"%06d"`, g), 1)
		text = bytes.Replace(text, []byte(`{"a":"000000","b":"uniform"`), fmt.Appendf(nil, `{"a":"%06d","b":%q`, g, opponent(g)), 1)
		if _, err := f.Commit(g, fmt.Appendf(nil, `{"generation":%d%s`, g, text)); err != nil {
			b.Fatal(err)
		}
	}
	s := newServer(b, f)
	done := 0
	s.runs[0].live = func() *train.Stage { // reports progress at each call
		done++
		return &train.Stage{Generation: generations, Name: "self-play", Done: done, Total: 1 << 30}
	}
	var clocks [6]string
	second := func() {
		for i := range clocks {
			if i%3 == 0 { // makes the server check the folder twice a second
				s.lookAgain()
			}
			clocks[i] = get[struct{ Clock string }](b, s, "/api/runs?since="+clocks[i], "").Clock
		}
	}
	second() // the first answers contain all generations; do not measure them
	before := cputime.Process()
	for b.Loop() {
		second()
	}
	b.ReportMetric(100*(cputime.Process()-before).Seconds()/float64(b.N), "%core")
}

// opponent returns the ladder opponent of a generation's model. The ladder is the series of rating
// matches of a run.
func opponent(generation int) string {
	if generation == 0 {
		return "uniform"
	}
	return fmt.Sprintf("%06d", generation/2)
}
