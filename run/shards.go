package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Shard is a published file of samples.
type Shard struct {
	Generation int
	Number     int // within the generation, from 0
	Path       string
}

// Shard is the file of a shard. Numbers have leading zeros, so that names sort
// as numbers up to a million.
func (f Folder) Shard(generation, shard int) string {
	return filepath.Join(f.Samples(generation), fmt.Sprintf("shard-%06d.parquet", shard))
}

// Samples is the folder of a generation's shards.
func (f Folder) Samples(generation int) string {
	return f.Path("samples", fmt.Sprintf("gen-%06d", generation))
}

// Shards lists what the run has published, by generation and number. Files of
// other names are passed over; a run without samples has no shards.
func (f Folder) Shards() ([]Shard, error) {
	folders, err := entries(f.Path("samples"))
	if err != nil {
		return nil, err
	}
	var all []Shard
	for _, folder := range folders {
		generation, ok := number(folder.Name(), "gen-", "")
		if !ok || !folder.IsDir() || f.Samples(generation) != f.Path("samples", folder.Name()) {
			continue
		}
		shards, err := f.ShardsOf(generation)
		if err != nil {
			return nil, err
		}
		all = append(all, shards...)
	}
	slices.SortFunc(all, func(a, b Shard) int {
		return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Number, b.Number))
	})
	return all, nil
}

// ShardsOf lists what a generation has published, by number.
func (f Folder) ShardsOf(generation int) ([]Shard, error) {
	files, err := entries(f.Samples(generation))
	if err != nil {
		return nil, err
	}
	var all []Shard
	for _, file := range files {
		path := filepath.Join(f.Samples(generation), file.Name())
		if n, ok := number(file.Name(), "shard-", ".parquet"); ok && path == f.Shard(generation, n) {
			all = append(all, Shard{generation, n, path})
		}
	}
	slices.SortFunc(all, func(a, b Shard) int { return cmp.Compare(a.Number, b.Number) })
	return all, nil
}

// DropSamples removes the shards of all generations before the given one.
func (f Folder) DropSamples(before int) error {
	shards, err := f.Shards()
	if err != nil {
		return err
	}
	for _, s := range shards {
		if s.Generation >= before {
			break
		}
		if err := os.Remove(s.Path); err != nil {
			return fmt.Errorf("remove old samples: %w", err)
		}
		if err := f.removeIfEmpty(s.Generation); err != nil {
			return fmt.Errorf("remove old samples: %w", err)
		}
	}
	return nil
}

// removeIfEmpty removes the folder of a generation's shards if there are none.
func (f Folder) removeIfEmpty(generation int) error {
	if folder := f.Samples(generation); isEmpty(folder) {
		return os.Remove(folder)
	}
	return nil
}

// isEmpty reports whether a folder can be read and has nothing in it.
func isEmpty(folder string) bool {
	all, err := os.ReadDir(folder)
	return err == nil && len(all) == 0
}

// entries lists a folder of shards, which may be missing.
func entries(folder string) ([]fs.DirEntry, error) {
	all, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list shards: %w", err)
	}
	return all, nil
}

// Missing lists the numbers below count of shards that a generation has not
// published, in order.
func (f Folder) Missing(generation, count int) ([]int, error) {
	shards, err := f.ShardsOf(generation)
	if err != nil {
		return nil, err
	}
	have := map[int]bool{}
	for _, s := range shards {
		have[s.Number] = true
	}
	var missing []int
	for n := range count {
		if !have[n] {
			missing = append(missing, n)
		}
	}
	return missing, nil
}

// number is the number in a name.
func number(name, prefix, suffix string) (n int, ok bool) {
	name, begins := strings.CutPrefix(name, prefix)
	name, ends := strings.CutSuffix(name, suffix)
	n, err := strconv.Atoi(name)
	return n, begins && ends && err == nil
}
