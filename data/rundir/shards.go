package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dojo.example/internal/atomicfile"
)

// Shard identifies a published shard file.
type Shard struct {
	Generation int
	Number     int // number within the generation, from 0
	Path       string
}

// Shard is the path of a shard. The number in its name has six digits with leading zeros, so up to
// a million shards are in the right order if sorted by name.
func (f Folder) Shard(generation, shard int) string {
	return filepath.Join(f.Samples(generation), fmt.Sprintf("shard-%06d.parquet", shard))
}

// Samples is the folder of a generation's shards.
func (f Folder) Samples(generation int) string {
	return f.Path("samples", fmt.Sprintf("gen-%06d", generation))
}

// Shards lists the published shards of the run, sorted by generation and number. It ignores files
// with other names. If the run has no samples, the list is empty.
func (f Folder) Shards() (all []Shard, err error) {
	generations, err := numbered(f.Path("samples"), "gen-", "")
	if err != nil {
		return nil, fmt.Errorf("list shards: %w", err)
	}
	for _, g := range generations {
		shards, err := f.ShardsOf(g)
		if err != nil {
			return nil, err
		}
		all = append(all, shards...)
	}
	return all, nil
}

// ShardsOf lists the published shards of a generation, by number.
func (f Folder) ShardsOf(generation int) (all []Shard, err error) {
	numbers, err := numbered(f.Samples(generation), "shard-", ".parquet")
	if err != nil {
		return nil, fmt.Errorf("list shards: %w", err)
	}
	for _, n := range numbers {
		all = append(all, Shard{generation, n, f.Shard(generation, n)})
	}
	return all, nil
}

// DropSamples removes the shards of all generations before the given one. On Windows it cannot
// remove a shard that another program has open. Such a shard remains until the call for the next
// generation.
func (f Folder) DropSamples(before int) error {
	shards, err := f.Shards()
	if err != nil {
		return err
	}
	for _, s := range shards {
		if s.Generation >= before {
			break
		}
		err := os.Remove(s.Path)
		if err == nil {
			err = f.removeIfEmpty(s.Generation)
		}
		if err != nil && !atomicfile.IsBusy(err) {
			return fmt.Errorf("remove old samples: %w", err)
		}
	}
	return nil
}

// removeIfEmpty removes the folder of a generation's shards if it is empty.
func (f Folder) removeIfEmpty(generation int) error {
	folder := f.Samples(generation)
	if all, err := os.ReadDir(folder); err != nil || len(all) > 0 {
		return nil
	}
	return os.Remove(folder)
}

// Missing lists, in order, the shards that a generation has not published. count is the number of
// shards in the generation; they are numbered from 0 to count-1.
func (f Folder) Missing(generation, count int) (missing []int, err error) {
	have, err := numbered(f.Samples(generation), "shard-", ".parquet")
	if err != nil {
		return nil, fmt.Errorf("list shards: %w", err)
	}
	for n := range count {
		if _, ok := slices.BinarySearch(have, n); !ok {
			missing = append(missing, n)
		}
	}
	return missing, nil
}

// numbered lists the numbers in the names of a folder's entries, in order. It looks for names that
// consist of prefix, a number in six digits, and suffix, and ignores other names. If suffix is
// empty, numbered lists folders; otherwise it lists files. If the folder does not exist, the list
// is empty.
func numbered(folder, prefix, suffix string) (all []int, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		n, ok := number(e.Name(), prefix, suffix)
		if ok && n >= 0 && e.Name() == prefix+ModelName(n)+suffix && e.IsDir() == (suffix == "") {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}

// number returns the number between prefix and suffix in a name. ok is false if the name does not
// have this form.
func number(name, prefix, suffix string) (n int, ok bool) {
	name, begins := strings.CutPrefix(name, prefix)
	name, ends := strings.CutSuffix(name, suffix)
	n, err := strconv.Atoi(name)
	return n, begins && ends && err == nil
}
