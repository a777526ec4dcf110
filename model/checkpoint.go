package model

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"dojo.example/engine"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/detmath"
	"dojo.example/internal/listed"
	"dojo.example/internal/safetensors"
)

// Checkpoint is a network with its parameters and a description of their origin.
type Checkpoint struct {
	Meta
	Network
	// The keys are the names of the parameters (Param.Name). The elements are in row-major order.
	Tensors map[string][]float32

	// Ranges holds the ranges of the planes and of the activations, which evaluation in 8 bits
	// needs. If the network reads planes, Ranges begins with one number for each of their channels.
	// Then it has one number for each channel of every layer whose results are read in 8 bits. It
	// is empty until Calibrate is called.
	Ranges []float32
}

// Meta describes where a checkpoint comes from. It is stored as text in the header of the
// safetensors file.
type Meta struct {
	Game        string // name of the game, as in engine.Spec.Name
	SpecVersion int    // version of the game, as in engine.Spec.Version
	Name        string // name within its run, for example "000012"
	// Name of the checkpoint from which training started; "" for a run's first checkpoint.
	Parent         string
	Step           int    // number of optimiser steps taken so far
	Seed           uint64 // seed of the run
	ProgramVersion string // version of the program that wrote the checkpoint
	// Settings of the searches in training, in the format of think.Record; "" if unknown.
	Search string
	// Settings of the searches that play with the model, in the format of think.Record; "" for the
	// defaults.
	Players string
	// How the checkpoint was made, in one line; "" if it was trained on games of its own run.
	Origin string
}

// maxWeight is the largest absolute value of a parameter that Decode accepts. In training, no
// parameter exceeds a few hundred. Parameters above maxWeight would cause an overflow within a few
// layers.
const maxWeight = 1e6

// formatVersion is the version of the checkpoint's metadata. A file of version 1 has a checksum for
// each tensor but no checksum for the metadata; see package safetensors.
const formatVersion = 2

// NewCheckpoint returns a network with random parameters from rng. Initially, the network's policy
// is nearly uniform and its value nearly 0, because each block returns its input unchanged and the
// output layers have small weights.
func NewCheckpoint(meta Meta, n Network, rng *rand.Rand) *Checkpoint {
	c := &Checkpoint{Meta: meta, Network: n, Tensors: map[string][]float32{}}
	for _, l := range n.Architecture().Layers {
		for i, p := range l.Params() {
			t := make([]float32, p.Size())
			c.Tensors[p.Name] = t
			if i > 0 { // otherwise p is a bias and stays zero
				continue
			}
			for j := range t {
				t[j] = float32(l.Deviation * detmath.Normal(rng))
			}
		}
	}
	c.Round()
	return c
}

// Round rounds the parameters that checkpoints store in 16 bits (see Param.Half) to numbers of this
// size. Whatever sets the tensors of a checkpoint must call Round before it uses the checkpoint.
// Then the network is the same after Encode and Decode. Encode returns an error if a parameter is
// not rounded.
func (c *Checkpoint) Round() {
	for _, p := range c.Params() {
		if t := c.Tensors[p.Name]; p.Half {
			for i, x := range t {
				t[i] = safetensors.RoundHalf(x)
			}
		}
	}
}

// texts returns pointers to the text fields of m, by their keys in the metadata.
func (m *Meta) texts() map[string]*string {
	return map[string]*string{
		"game": &m.Game, "name": &m.Name, "parent": &m.Parent, "program_version": &m.ProgramVersion,
		"origin": &m.Origin, "search": &m.Search, "players": &m.Players,
	}
}

// optional lists those keys of texts that Encode omits if their text is empty.
var optional = []string{"origin", "search", "players"}

// Encode writes the checkpoint in the safetensors format.
func (c *Checkpoint) Encode(w io.Writer) error {
	meta := map[string]string{
		"format": "dojo", "format_version": strconv.Itoa(formatVersion), "spec_version": strconv.Itoa(c.SpecVersion),
		"step": strconv.Itoa(c.Step), "seed": strconv.FormatUint(c.Seed, 10),
	}
	for key, text := range c.texts() {
		if *text != "" || !slices.Contains(optional, key) {
			meta[key] = *text
		}
	}
	structured := map[string]any{"architecture": c.Network}
	if len(c.Ranges) > 0 {
		structured["ranges"] = c.Ranges
	}
	for key, v := range structured {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		meta[key] = string(text)
	}
	var tensors []safetensors.Tensor
	for _, p := range c.Params() {
		tensors = append(tensors, safetensors.Tensor{Name: p.Name, Shape: p.Shape, Data: c.Tensors[p.Name], Half: p.Half})
	}
	return safetensors.Write(w, meta, tensors)
}

// Save writes the checkpoint to a file atomically.
func (c *Checkpoint) Save(path string) error {
	if err := atomicfile.WriteFile(path, c.Encode); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	return nil
}

// Load reads a checkpoint from a file. It returns a one-line error if the file is not a checkpoint,
// is damaged, was made by a newer program, or does not match the hash in its generation's listing
// (see package listed).
func Load(path string) (*Checkpoint, error) {
	file, err := listed.Open(path)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	defer file.Close() // ignore errors, because the file was only read
	c, err := Decode(bufio.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", path, err)
	}
	return c, nil
}

// Decode reads a checkpoint that Encode wrote.
func Decode(r io.Reader) (*Checkpoint, error) {
	meta, tensors, err := safetensors.Read(r)
	if err != nil {
		return nil, err
	}
	if meta["format"] != "dojo" {
		return nil, fmt.Errorf("it is a safetensors file, but not a checkpoint of dojo")
	}
	c := &Checkpoint{Tensors: map[string][]float32{}}
	if err := c.readMeta(meta); err != nil {
		return nil, err
	}
	byName := map[string]safetensors.Tensor{}
	for _, t := range tensors {
		byName[t.Name] = t
	}
	for _, p := range c.Params() {
		t, ok := byName[p.Name]
		if !ok || !slices.Equal(t.Shape, p.Shape) {
			return nil, fmt.Errorf("tensor %s is missing or has the wrong shape: %v, want %v", p.Name, t.Shape, p.Shape)
		}
		if t.Half != p.Half {
			return nil, fmt.Errorf("tensor %s has 16 bits: %v, but its architecture says %v", p.Name, t.Half, p.Half)
		}
		for _, v := range t.Data {
			if !(v >= -maxWeight && v <= maxWeight) { // in this form, NaN is an error too
				return nil, fmt.Errorf("tensor %s contains %v, which no trained network has", p.Name, v)
			}
		}
		c.Tensors[p.Name] = t.Data
	}
	return c, nil
}

// Finite returns an error if one of the values is infinite or NaN. The error names the tensor.
func Finite(name string, values []float32) error {
	for _, v := range values {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("tensor %s contains %v, which is not finite", name, v)
		}
	}
	return nil
}

// readMeta reads and checks the metadata that Encode put into the header.
func (c *Checkpoint) readMeta(meta map[string]string) error {
	for key, text := range c.texts() {
		if n := len(meta[key]); n > 200 {
			return fmt.Errorf("its metadata is damaged: %s has %d bytes, more than 200", key, n)
		}
		*text = meta[key]
	}
	var bad error // the first error that structured found, or nil
	note := func(err error, format string, args ...any) {
		if err != nil && bad == nil {
			bad = fmt.Errorf(format, args...)
		}
	}
	number := func(key string) int {
		n, err := strconv.Atoi(meta[key])
		note(err, "its metadata is damaged: %s is not a number", key)
		return n
	}
	// structured decodes the JSON value of a key into v. A missing key is an error only for
	// "architecture", because older checkpoints do not have all the other keys.
	structured := func(key, named string, v any) {
		if text, ok := meta[key]; ok || key == "architecture" {
			err := json.Unmarshal([]byte(text), v)
			note(err, "its %s damaged: %w", named, err)
		}
	}
	if v := number("format_version"); v > formatVersion {
		return fmt.Errorf("it has format %d, written by dojo %s, but this program reads only formats up to %d; use a newer dojo", v, meta["program_version"], formatVersion)
	}
	c.SpecVersion, c.Step = number("spec_version"), number("step")
	var err error
	c.Seed, err = strconv.ParseUint(meta["seed"], 10, 64)
	note(err, "its metadata is damaged: seed is not a number")
	structured("architecture", "architecture is", &c.Network)
	if bad != nil {
		return bad
	}
	if err := cmp.Or(c.Network.Validate(), c.Network.fits()); err != nil {
		return fmt.Errorf("its architecture is impossible: %w", err)
	}
	structured("ranges", "ranges are", &c.Ranges)
	if _, ok := meta["ranges"]; ok && bad == nil && len(c.Ranges) != c.rangeCount() {
		return fmt.Errorf("it has %d ranges of activations, but its architecture needs %d", len(c.Ranges), c.rangeCount())
	}
	for _, r := range c.Ranges {
		if !(r >= 0) || math.IsInf(float64(r), 0) {
			return fmt.Errorf("its ranges of activations contain %v", r)
		}
	}
	return bad
}

// Check returns an error unless the checkpoint can play the game described by spec.
func (c *Checkpoint) Check(spec engine.Spec) error {
	s, sparse := c.Body.(Sparse)
	switch {
	case c.Game != spec.Name:
		return fmt.Errorf("checkpoint %s plays %s, not %s", c.Name, c.Game, spec.Name)
	case c.SpecVersion != spec.Version:
		return fmt.Errorf("checkpoint %s was trained for version %d of %s, but this program has version %d", c.Name, c.SpecVersion, spec.Name, spec.Version)
	case sparse && (s.Features != spec.Features || s.Active != spec.ActiveFeatures):
		return fmt.Errorf("checkpoint %s reads %d features, at most %d of them active, but %s has %d and %d", c.Name, s.Features, s.Active, spec.Name, spec.Features, spec.ActiveFeatures)
	case s.ActionRows && (s.ActionFeatures != spec.ActionFeatures || s.PerAction != spec.PerAction):
		return fmt.Errorf("checkpoint %s reads %d action features, %d per action, but %s has %d and %d", c.Name, s.ActionFeatures, s.PerAction, spec.Name, spec.ActionFeatures, spec.PerAction)
	case c.Planes != spec.Planes || c.Actions != spec.Actions:
		return fmt.Errorf("checkpoint %s has %v planes and %d actions, but %s has %v and %d", c.Name, c.Planes, c.Actions, spec.Name, spec.Planes, spec.Actions)
	}
	return nil
}

// Hash returns 16 hexadecimal digits that identify the architecture and the parameters. It does not
// depend on the metadata.
func (c *Checkpoint) Hash() string {
	h := sha256.New()
	// Writing to a hash cannot fail.
	_, _ = io.WriteString(h, c.Network.Identity())
	for _, p := range c.Params() {
		_ = binary.Write(h, binary.LittleEndian, c.Tensors[p.Name])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
