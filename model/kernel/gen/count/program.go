package main

import (
	"bufio"
	"debug/elf"
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
)

// A program is an arm64 program on disk.
type program struct {
	path    string
	text    *elf.Section
	code    []byte
	symbols []elf.Symbol // functions by address

	begin, end uint64 // addresses of beginRound and endRound
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
	for _, s := range p.symbols {
		switch {
		case strings.HasSuffix(s.Name, ".beginRound"):
			p.begin = s.Value
		case strings.HasSuffix(s.Name, ".endRound"):
			p.end = s.Value
		}
	}
	if p.begin == 0 || p.end == 0 {
		return nil, fmt.Errorf("%s has no functions beginRound and endRound", path)
	}
	return p, nil
}

// plugin is the source of the plugin that makes qemu count.
//
//go:embed plugin/count.c
var plugin []byte

// run executes the program with some arguments on a processor and returns what it printed
// and what each of its rounds executed, by function.
func (p *program) run(cpu string, arguments ...string) (printed string, rounds []map[string]tally, err error) {
	dir, err := os.MkdirTemp("", "count-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	source, library, counts := filepath.Join(dir, "plugin.c"), filepath.Join(dir, "plugin.so"), filepath.Join(dir, "counts")
	if err := os.WriteFile(source, plugin, 0o644); err != nil {
		return "", nil, err
	}
	if printed, err := exec.Command("cc", "-O2", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("cc: %w\n%s", err, printed)
	}
	counting := fmt.Sprintf("%s,text=%d,size=%d,begin=%d,end=%d,out=%s", library, p.text.Addr, len(p.code), p.begin, p.end, counts)
	cmd := exec.Command("qemu-aarch64", append([]string{"-cpu", cpu, "-plugin", counting, p.path}, arguments...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	all, err := cmd.CombinedOutput()
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w\n%s", p.path, err, all)
	}
	rounds, err = p.rounds(counts)
	return string(all), rounds, err
}

// rounds reads the counts that the plugin has written.
func (p *program) rounds(path string) (all []map[string]tally, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	round := map[string]tally{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if lines.Text() == "end" {
			all = append(all, round)
			round = map[string]tally{}
			continue
		}
		var first, n, times int
		if _, err := fmt.Sscan(lines.Text(), &first, &n, &times); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, lines.Text(), err)
		}
		name := p.function(p.text.Addr + uint64(4*first))
		t := round[name]
		t.add(p.block(first, n), times)
		round[name] = t
	}
	return all, lines.Err()
}

// block is the tally of one execution of a block.
func (p *program) block(first, n int) (t tally) {
	t.all = n
	for i := first; i < first+n; i++ {
		if multiplies(binary.LittleEndian.Uint32(p.code[4*i:])) {
			t.multiplying++
			t.loops = n
		}
	}
	return t
}

// function is the name of the function at an address.
func (p *program) function(pc uint64) string {
	i := sort.Search(len(p.symbols), func(i int) bool { return p.symbols[i].Value > pc })
	if i == 0 {
		return "?"
	}
	return strings.TrimSuffix(p.symbols[i-1].Name, ".abi0")
}
