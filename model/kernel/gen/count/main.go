// Count counts the instructions of the kernels for arm64 in a benchmark, and which of them
// multiply, under qemu-user, for want of a processor to time them on:
//
//	GOARCH=arm64 go test -c -o kernel.test ./model/kernel
//	go run -C model/kernel/gen ./count -cpu max -bench 'Sparse/neon\+sdot' "$PWD/kernel.test"
//
// One round is what a run of two rounds takes more than a run of one.
package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"log"
	"os/exec"
	"sort"
	"strconv"
	"strings"
)

// A tally is the numbers of instructions of a function.
type tally struct{ all, multiplying int }

func main() {
	log.SetFlags(0)
	cpu := flag.String("cpu", "max", "the processor, as qemu-aarch64 calls it")
	bench := flag.String("bench", "", "the benchmark")
	flag.Parse()
	p, err := read(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	var runs [2]map[string]tally
	for i := range runs {
		if runs[i], err = p.run(*cpu, *bench, i+1); err != nil {
			log.Fatal(err)
		}
	}
	var names []string
	var sum tally
	for name, t := range runs[1] {
		t.all -= runs[0][name].all
		t.multiplying -= runs[0][name].multiplying
		runs[1][name] = t
		names = append(names, name)
		sum.all += t.all
		sum.multiplying += t.multiplying
	}
	sort.Slice(names, func(i, j int) bool { return runs[1][names[i]].all > runs[1][names[j]].all })
	fmt.Printf("%d instructions of kernels a round, %d of them multiply: %.1f %%\n",
		sum.all, sum.multiplying, 100*float64(sum.multiplying)/float64(sum.all))
	for _, name := range names[:min(12, len(names))] {
		t := runs[1][name]
		fmt.Printf("%10d %5.1f %%  %s\n", t.all, 100*float64(t.multiplying)/float64(max(1, t.all)), name)
	}
}

// A program is an arm64 program on disk.
type program struct {
	path    string
	text    *elf.Section
	code    []byte
	symbols []elf.Symbol // functions by address
}

func read(path string) (*program, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	p := &program{path: path, text: f.Section(".text")}
	if p.code, err = p.text.Data(); err != nil {
		return nil, err
	}
	if p.symbols, err = f.Symbols(); err != nil {
		return nil, err
	}
	sort.Slice(p.symbols, func(i, j int) bool { return p.symbols[i].Value < p.symbols[j].Value })
	return p, nil
}

// kernels is the range of addresses that holds the kernels, which lie one behind the
// other. Nothing else is traced, because that takes long.
func (p *program) kernels() string {
	var first, last uint64
	for _, s := range p.symbols {
		if isKernel(s.Name) {
			if first == 0 {
				first = s.Value
			}
			last = s.Value + s.Size
		}
	}
	return fmt.Sprintf("0x%x..0x%x", first, last-1)
}

// isKernel reports whether the function of that name is assembly for arm64.
func isKernel(name string) bool {
	name, assembly := strings.CutSuffix(name, ".abi0")
	return assembly && (strings.HasPrefix(name, "dojo/model/kernel.neon") || strings.HasPrefix(name, "dojo/model/kernel.sdot"))
}

// run counts the instructions of some rounds of a benchmark, by function.
func (p *program) run(cpu, bench string, rounds int) (map[string]tally, error) {
	cmd := exec.Command("qemu-aarch64", "-cpu", cpu, "-singlestep", "-d", "exec,nochain", "-dfilter", p.kernels(),
		p.path, "-test.run=^$", "-test.bench="+bench, fmt.Sprintf("-test.benchtime=%dx", rounds))
	trace, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	visits := make([]int, len(p.code)/4)
	if err := p.count(trace, visits); err != nil {
		return nil, err
	}
	tallies := map[string]tally{}
	for i, n := range visits {
		if n > 0 {
			name := p.function(p.text.Addr + uint64(4*i))
			t := tallies[name]
			t.all += n
			if multiplies(binary.LittleEndian.Uint32(p.code[4*i:])) {
				t.multiplying += n
			}
			tallies[name] = t
		}
	}
	return tallies, cmd.Wait()
}

// count counts how often each instruction is executed. A line of the trace holds the
// address behind the first slash.
func (p *program) count(trace io.Reader, visits []int) error {
	lines := bufio.NewReaderSize(trace, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		parts := bytes.SplitN(line, []byte("/"), 3)
		if len(parts) < 3 || !bytes.HasPrefix(line, []byte("Trace")) {
			continue
		}
		pc, err := strconv.ParseUint(string(parts[1]), 16, 64)
		if i := (pc - p.text.Addr) / 4; err == nil && pc >= p.text.Addr && i < uint64(len(visits)) {
			visits[i]++
		}
	}
}

// function is the name of the function at an address.
func (p *program) function(pc uint64) string {
	i := sort.Search(len(p.symbols), func(i int) bool { return p.symbols[i].Value > pc })
	if i == 0 {
		return "?"
	}
	return strings.TrimSuffix(p.symbols[i-1].Name, ".abi0")
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
