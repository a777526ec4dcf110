package verify

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"dojo.example/data/rundir"
	"dojo.example/internal/listed"
	"dojo.example/internal/scratch"
	"dojo.example/model"
	"dojo.example/train"
)

// maxProof is the largest total size of the files in a proof, in bytes. This is enough for the
// records of some 10,000 generations.
const maxProof = 1 << 25

// Proof returns a zip file with which anybody can check the best model of a run without the run's
// folder. The file contains run.yaml, the records of all generations, and the listing with the
// model's hash. Proof returns an error if the run started from another model or if run.yaml has
// changed since the start, because then the configuration does not determine the models.
func Proof(folder rundir.Folder) ([]byte, error) {
	var b bytes.Buffer
	if err := writeProof(&b, folder); err != nil {
		return nil, fmt.Errorf("proof of %s: %w", folder, err)
	}
	return b.Bytes(), nil
}

func writeProof(to io.Writer, folder rundir.Folder) error {
	c, err := open(folder, Options{})
	if err == nil {
		err = c.fromNothing()
	}
	if err == nil {
		err = c.hasBest()
	}
	if err != nil {
		return err
	}
	files := []string{folder.ConfigPath(), folder.Listing(c.best())}
	for g := range c.done {
		files = append(files, folder.Record(g))
	}
	z := zip.NewWriter(to)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		w, err := z.Create(c.name(file))
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return z.Close() // Close also writes the zip file's directory
}

// DefaultUntil is the default of Options.Until for checking a model by its proof. A proof may have
// fewer generations than that.
const DefaultUntil = 2

// Model checks the file of a model by its Proof. It checks that the file is a model, and that the
// chain of records leads to the model. It recomputes the first opt.Until generations from scratch,
// and compares their files and records. It cannot check the later generations: for these, the user
// must trust the author. Model ignores opt.Share and opt.Training.
func Model(ctx context.Context, file, proof []byte, opt Options) (r Result, err error) {
	dir, remove, err := scratch.Folder("verify")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := unzip(dir, proof); err != nil {
		return r, fmt.Errorf("proof: %w", err)
	}
	c, err := open(rundir.Folder(dir), Options{Workers: opt.Workers, Report: opt.Report})
	if err == nil {
		err = c.fromNothing()
	}
	if err == nil {
		err = c.names(file)
	}
	if err != nil {
		return r, fmt.Errorf("proof: %w", err)
	}
	all := len(c.done)
	if opt.Until > max(all, DefaultUntil) {
		c.Missing = append(c.Missing, fmt.Sprintf("generation %d: the proof has %d", all, all))
	}
	c.Gates.Of = all
	if len(c.Faults) == 0 && (len(c.Missing) == 0 || opt.Missing) {
		if err := c.again(ctx, min(opt.Until, all)); err != nil {
			return r, fmt.Errorf("proof: %w", err)
		}
	}
	c.Sample = Sample{Of: all, Checked: c.Trained, Wrong: min(1, len(c.Faults))}
	// A false record of a generation that was not recomputed cannot be found. So the confidence is
	// 1 only if all generations were recomputed.
	if c.Trained == all {
		c.Confidence = 1
	}
	c.sumUp()
	return c.Result, nil
}

// unzip writes the files of a proof into a folder.
func unzip(dir string, proof []byte) error {
	z, err := zip.NewReader(bytes.NewReader(proof), int64(len(proof)))
	if err != nil {
		return err
	}
	size := uint64(0)
	for _, f := range z.File {
		if size += f.UncompressedSize64; size > maxProof {
			return fmt.Errorf("its files have more than %d bytes", maxProof)
		}
	}
	return os.CopyFS(dir, z)
}

// fromNothing returns an error if the run's current configuration does not determine all of its
// models.
func (c *check) fromNothing() error {
	if c.frozen.Start != "" {
		return errors.New("the run started from another model (dojo train --from), so training from nothing cannot prove it")
	}
	config, err := rundir.FileHash(c.folder.ConfigPath())
	if err != nil {
		return err
	}
	for g, m := range c.done {
		if m.Config != config {
			return fmt.Errorf("run.yaml has changed since generation %d (dojo train --generations), so training from nothing cannot prove it", g)
		}
	}
	return nil
}

// best returns the number of the generation that trained the best model, or -1 if the model's name
// is not a number.
func (c *check) best() int {
	n, err := strconv.Atoi(c.Best)
	if err != nil {
		return -1
	}
	return n
}

// hasBest returns an error unless the file of the run's best model exists and has the hash in the
// chain of records.
func (c *check) hasBest() error {
	const most = 1 << 30
	if c.best() < 0 {
		return fmt.Errorf("the best model is %q, which no generation trained", c.Best)
	}
	file, err := listed.Read(c.folder.Model(c.Best), most)
	if err == nil {
		err = c.names(file)
	}
	if err == nil && len(c.Faults) > 0 {
		err = errors.New(c.Faults[0])
	}
	return err
}

// names checks a model file: its hash must be the best model's hash in the chain of records, and
// its metadata must agree with the records. If not, names adds a fault.
func (c *check) names(file []byte) error {
	g := c.best()
	if g < 0 || g >= len(c.done) {
		return fmt.Errorf("the best model is %q, which no generation trained", c.Best)
	}
	files, err := c.folder.Listed(g, c.done[g].Files)
	if err != nil {
		return err
	}
	if name := c.modelName(c.Best); files[name] != rundir.TextHash(file) {
		c.fault("the model differs from %s of the run", name)
		return nil
	}
	opt, err := c.frozen.Options(c.folder)
	if err != nil {
		return err
	}
	m, err := model.Decode(bytes.NewReader(file))
	if err == nil {
		err = m.Check(opt.Game.Spec)
	}
	if err != nil {
		return fmt.Errorf("the model cannot play: %w", err)
	}
	steps := 0
	for _, done := range c.done[:g+1] {
		steps += done.Fit.Steps
	}
	if m.Name != c.Best || m.Seed != opt.Seed || m.Network != opt.Network || m.Step != steps {
		c.fault("the model says that it is %s of seed %d after %d steps, %s; the records say %s of seed %d after %d steps, %s",
			m.Name, m.Seed, m.Step, m.Sizes(), c.Best, opt.Seed, steps, opt.Network.Sizes())
		return nil
	}
	c.Files = 1
	return nil
}

// again recomputes the first n generations from scratch. It compares the files with the hashes in
// the listings, and the figures with the records.
func (c *check) again(ctx context.Context, n int) error {
	nothing := *c
	nothing.done = nil
	return nothing.beside(nil, func(r *train.Run, scratch rundir.Folder) error {
		for g, want := range c.done[:n] {
			if err := r.Again(ctx, want.Program); err != nil {
				return fmt.Errorf("generation %d: %w", g, err)
			}
			made, err := train.ReadMetrics(scratch)
			if err != nil {
				return err
			}
			if c.figures(g, made[g], "training from nothing") {
				c.Untrained = "a generation differs"
				return nil
			}
			c.Trained++
			c.Gates.Checked++
			c.listed = append(c.listed, map[string]string{}) // so that unusable finds a listing
			if err := c.remeet(ctx, r, g); err != nil {
				return fmt.Errorf("generation %d: %w", g, err)
			}
		}
		return nil
	})
}
