// Count counts the instructions that a benchmark of a program for arm64 executes, and which
// of them multiply, under qemu-user, for want of a processor to time it on:
//
//	GOARCH=arm64 go test -c -o dojo.test ./bench
//	go run -C model/kernel/gen ./count -cpu max -bench Round/evaluate "$PWD/dojo.test"
//
// or make bench-instructions-arm64. qemu must have plugins, as Debian's has, and there must
// be a C compiler.
//
// The benchmark calls functions named beginRound and endRound once for each of its
// sub-benchmarks; what is executed between them is counted. It reports two metrics: "units",
// the number of evaluations (or samples, or simulations) of a round, and "multiply-adds",
// how many of these one unit needs.
package main

import (
	"flag"
	"fmt"
	"log"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	cpu := flag.String("cpu", "max", "the processor, as qemu-aarch64 calls it")
	bench := flag.String("bench", "", "the benchmark")
	top := flag.Int("top", 8, "how many functions to list")
	flag.Parse()
	p, err := read(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	rounds, err := p.measure(*cpu, *bench)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("qemu-aarch64 -cpu %s\n", *cpu)
	fmt.Printf("%-28s %12s %13s %8s %8s %8s\n", "a unit of", "instructions", "multiply-adds", "kernels", "multiply", "in loops")
	for _, r := range rounds {
		r.print(*top)
	}
}

// measure executes the benchmark once and returns its rounds.
func (p *program) measure(cpu, bench string) (rounds []round, err error) {
	printed, counted, err := p.run(cpu, "-test.run=^$", "-test.bench="+bench, "-test.benchtime=1x", "-test.timeout=0")
	if err != nil {
		return nil, err
	}
	lines := regexp.MustCompile(`(?m)^Benchmark\w*/(\S+)\s+1\s.*$`).FindAllStringSubmatch(printed, -1)
	if len(lines) != len(counted) {
		return nil, fmt.Errorf("%d benchmarks printed a result and %d were counted\n%s", len(lines), len(counted), printed)
	}
	for i, l := range lines {
		r := round{name: l[1], units: metric(l[0], "units"), products: metric(l[0], "multiply-adds"), functions: counted[i]}
		if r.units == 0 {
			return nil, fmt.Errorf("%s reports no units", r.name)
		}
		rounds = append(rounds, r)
	}
	return rounds, nil
}

// metric returns the value of a metric in a line of a benchmark's output, or 0.
func metric(line, name string) float64 {
	m := regexp.MustCompile(`(\S+) ` + name + `\b`).FindStringSubmatch(line)
	if m == nil {
		return 0
	}
	v, _ := strconv.ParseFloat(m[1], 64)
	return v
}

// A round is what one sub-benchmark executed.
type round struct {
	name            string
	units, products float64
	functions       map[string]tally
}

// A tally is the numbers of instructions of a function.
type tally struct {
	all         int
	multiplying int
	loops       int // in blocks without branches that multiply: the inner loops of kernels
}

// add adds u some times.
func (t *tally) add(u tally, times int) {
	t.all += times * u.all
	t.multiplying += times * u.multiplying
	t.loops += times * u.loops
}

// print prints a line, and one for each of the functions that execute most.
func (r round) print(top int) {
	var all, kernels tally
	var names []string
	for name, t := range r.functions {
		if isWatch(name) {
			continue
		}
		all.add(t, 1)
		if isKernel(name) {
			kernels.add(t, 1)
		}
		names = append(names, name)
	}
	percent := func(n, of int) string {
		if of == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
	}
	fmt.Printf("%-28s %12.0f %13.0f %8s %8s %8s\n", r.name, float64(all.all)/r.units, r.products,
		percent(kernels.all, all.all), percent(kernels.multiplying, all.all), percent(kernels.multiplying, kernels.loops))
	sort.Slice(names, func(i, j int) bool { return r.functions[names[i]].all > r.functions[names[j]].all })
	for _, name := range names[:min(top, len(names))] {
		t := r.functions[name]
		fmt.Printf("    %12.1f %7s  %s\n", float64(t.all)/r.units, percent(t.multiplying, t.all), short(name))
	}
}

// short is a function's name without the path of its package.
func short(name string) string { return name[strings.LastIndex(name, "/")+1:] }

// isWatch reports whether a function of that name is of the thread that watches over Go's
// programs. It executes as much as the time that passes lets it, whatever they do.
func isWatch(name string) bool {
	_, name, _ = strings.Cut(name, "runtime.")
	return slices.Contains([]string{"sysmon", "retake", "netpoll", "netpollQuiescent", "lock2", "unlock2", "nanotime1", "usleep", "epollwait", "futex"}, name)
}

// isKernel reports whether the function of that name is a kernel for arm64.
func isKernel(name string) bool {
	return strings.HasPrefix(name, "dojo.example/model/kernel.neon") || strings.HasPrefix(name, "dojo.example/model/kernel.sdot")
}

// multiplies reports whether an instruction multiplies vectors and adds: FMLA, SDOT,
// SMULL, SMLAL2, by an element or not; and ADD of sixteen bits, of which sums of columns
// consist.
func multiplies(code uint32) bool {
	for _, form := range []struct{ mask, code uint32 }{
		{0xffc0f400, 0x4f801000}, {0xffe0fc00, 0x4e20cc00}, // FMLA
		{0xffc0f400, 0x4f80e000}, {0xffe0fc00, 0x4e809400}, // SDOT
		{0xffe0fc00, 0x0e20c000}, {0xffe0fc00, 0x4e208000}, // SMULL, SMLAL2
		{0xffe0fc00, 0x4e608400}, // ADD
	} {
		if code&form.mask == form.code {
			return true
		}
	}
	return false
}
