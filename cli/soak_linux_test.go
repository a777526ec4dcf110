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
	"sync/atomic"
	"testing"
	"time"
)

// Memory use and the number of open files do not grow while a run trains from generation 100 to
// 500, or while 200 dashboards connect to a server and disconnect.
func TestSoak(t *testing.T) {
	if os.Getenv("DOJO_SOAK") != "1" {
		t.Skip("left out: it trains 500 generations; to run it: DOJO_SOAK=1 go test -timeout 1h -run '^TestSoak$' -v ./cli")
	}
	const generations = 500
	dir, address := t.TempDir(), freeAddress(t)
	folder := filepath.Join(dir, "run")
	trainer := &child{t: t, name: "trainer", dir: dir, args: []string{"train", "tictactoe", "--run", folder, "--generations", strconv.Itoa(generations),
		"--set", "selfplay.games=64", "--set", "mcts.simulations=16", "--set", "train.window_min=20", "--set", "train.window_max=20", "--set", "gate.games=16"}}
	trainer.start()
	usage := trainer.watch(func() (period int, ended bool) {
		records, err := filepath.Glob(filepath.Join(folder, "generations", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-trainer.ended:
			ended = true
		default:
		}
		return len(records) / 20, ended
	})
	if trainer.err != nil {
		t.Fatalf("the trainer: %v\n%s", trainer.err, trainer.tail())
	}
	level(t, "the training", usage[5], usage[generations/20-1])

	server := &child{t: t, name: "server", dir: dir, args: []string{"serve", folder, "--listen", address}}
	server.start()
	var visits, failures atomic.Int64
	const dashboards, periods, period = 200, 7, 15 * time.Second
	began := time.Now()
	var visitors sync.WaitGroup
	for i := range dashboards {
		visitors.Go(func() {
			time.Sleep(time.Second + time.Duration(i)*20*time.Millisecond)
			for n := i; time.Since(began) < periods*period; n++ {
				visits.Add(1)
				if err := visit("http://"+address, 1+n%5); err != nil {
					failures.Add(1)
					time.Sleep(time.Second)
				}
			}
		})
	}
	usage = server.watch(func() (int, bool) {
		return int(time.Since(began) / period), time.Since(began) > periods*period
	})
	visitors.Wait()
	t.Logf("%d visits, %d of which failed", visits.Load(), failures.Load())
	if visits.Load() < 2*dashboards || failures.Load() > 0 {
		t.Errorf("%d of %d visits failed", failures.Load(), visits.Load())
	}
	level(t, "the server", usage[1], usage[periods-1])
}

// watch measures the program's memory and open files until the program exits, and groups the
// measurements by period. It calls now to get the current period and whether the program has
// exited.
func (p *child) watch(now func() (period int, ended bool)) map[int][]use {
	usage := map[int][]use{}
	for {
		period, ended := now()
		if ended {
			return usage
		}
		if u, err := useOf(p.cmd.Process.Pid); err == nil {
			usage[period] = append(usage[period], u)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// level fails the test if the median memory or the median number of open files has grown from
// before to after. It tolerates 5 % more memory, and 5 % plus one more file.
func level(t *testing.T, who string, before, after []use) {
	t.Helper()
	a, b := median(before), median(after)
	t.Logf("%s: %v, later %v", who, a, b)
	if a.memory == 0 || float64(b.memory) > 1.05*float64(a.memory) || float64(b.files) > 1.05*float64(a.files)+1 {
		t.Errorf("%s had %v, and later %v", who, a, b)
	}
}

// visit opens the dashboard, reads it a few times and disconnects.
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
		time.Sleep(time.Second) // the page also polls once a second
	}
	return nil
}

// A use is a measurement of a process: its resident memory in kB and its number of open files.
type use struct{ memory, files int }

// useOf measures the process with the given id.
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
