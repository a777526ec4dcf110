package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/run"
)

// Memory and open files of a training stay level over 500 generations while 200 dashboards
// come and go: what it takes around the last generation is at most 5 % more than around the
// hundredth.
func TestSoak(t *testing.T) {
	if os.Getenv("DOJO_SOAK") != "1" {
		t.Skip("left out: it trains 500 generations; to run it: DOJO_SOAK=1 go test -timeout 1h -run '^TestSoak$' -v ./cli")
	}
	const generations, early = 500, 100
	dashboards := 200
	if os.Getenv("DOJO_D") != "" {
		dashboards = 0
	}
	dir, address := t.TempDir(), freeAddress(t)
	folder := run.Folder(filepath.Join(dir, "run"))
	trainer := &child{t: t, name: "trainer", dir: dir, args: []string{"train", "tictactoe", "--run", string(folder), "--generations", strconv.Itoa(generations),
		"--serve=" + address, "--set", "selfplay.games=64", "--set", "mcts.simulations=16", "--set", "train.window_max=20", "--set", "train.window_min=20", "--set", "gate.games=16"}}
	trainer.start()

	var visitors sync.WaitGroup
	var visits, failures int
	var mu sync.Mutex // guards visits and failures
	for i := range dashboards {
		visitors.Go(func() {
			time.Sleep(time.Duration(i) * 50 * time.Millisecond)
			for n := i; ; n++ {
				select {
				case <-trainer.ended:
					return
				default:
				}
				err := visit("http://"+address, 1+n%5)
				mu.Lock()
				if visits++; err != nil {
					failures++
				}
				mu.Unlock()
				if err != nil { // it does not listen yet
					time.Sleep(time.Second)
				}
			}
		})
	}
	usage := map[int][]use{} // by twenties of generations
	for ended := false; !ended; {
		select {
		case <-trainer.ended:
			ended = true
		case <-time.After(200 * time.Millisecond):
			records, err := filepath.Glob(filepath.Join(string(folder), "generations", "*.json"))
			if err != nil {
				t.Fatal(err)
			}
			if u, err := useOf(trainer.cmd.Process.Pid); err == nil {
				at := len(records) / 20 * 20
				usage[at] = append(usage[at], u)
			}
		}
	}
	visitors.Wait()
	if trainer.err != nil {
		t.Fatalf("the trainer: %v\n%s", trainer.err, trainer.tail())
	}
	for at := 0; at <= generations; at += 20 {
		if len(usage[at]) > 0 {
			t.Logf("generations %d to %d: %v", at, at+19, median(usage[at]))
		}
	}
	t.Logf("%d visits, %d of which ended with an error", visits, failures)
	first, last := median(usage[early]), median(usage[generations-20])
	if float64(last.memory) > 1.05*float64(first.memory) {
		t.Errorf("memory grew from %d to %d kB", first.memory, last.memory)
	}
	if last.files > first.files+dashboards {
		t.Errorf("%d files were open at generation %d, %d at %d", first.files, early, last.files, generations)
	}
	if visits < dashboards || failures > visits/10 {
		t.Errorf("%d of %d visits failed", failures, visits)
	}
}

// visit opens the dashboard, looks at it a few times and closes it.
func visit(url string, looks int) error {
	client := &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}
	defer client.CloseIdleConnections()
	var news struct{ Clock string }
	for look := range looks + 1 {
		path := "/"
		if look > 0 {
			path = "/api/runs?since=" + news.Clock
		}
		answer, err := client.Get(url + path)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			return err
		}
		if look > 0 {
			if err := json.Unmarshal(text, &news); err != nil {
				return err
			}
		}
		time.Sleep(time.Second) // as the page does
	}
	return nil
}

// A use is what a process has: resident memory in kB, and open files.
type use struct{ memory, files int }

// useOf reads what a process has.
func useOf(pid int) (u use, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, err
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return u, fmt.Errorf("process %d has ended", pid)
	}
	if u.memory, err = strconv.Atoi(fields[0]); err != nil {
		return u, err
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	u.files = len(files)
	return u, err
}

// median returns the medians of memory and of files.
func median(all []use) (u use) {
	var memory, files []int
	for _, x := range all {
		memory, files = append(memory, x.memory), append(files, x.files)
	}
	if len(all) > 0 {
		slices.Sort(memory)
		slices.Sort(files)
		u = use{memory[len(all)/2], files[len(all)/2]}
	}
	return u
}

func (u use) String() string { return fmt.Sprintf("%d kB, %d files", u.memory, u.files) }
