package model

import (
	"math/rand/v2"
)

// Checkpoint is a network with its parameters and their history.
type Checkpoint struct {
	Meta
	Network
	Tensors map[string][]float32 // by Param.Name, row-major
}

// Meta is where a checkpoint came from. It is stored as text in the
// safetensors header.
type Meta struct {
	Game           string // Spec.Name
	SpecVersion    int    // Spec.Version
	Name           string // within its run, e.g. "000012"
	Parent         string // the checkpoint it was trained from, "" for the first
	Step           int    // optimiser steps behind it
	Seed           uint64 // of the run
	ProgramVersion string // of the program that wrote it
}

// NewCheckpoint returns a network with random parameters drawn from rng.
func NewCheckpoint(meta Meta, n Network, rng *rand.Rand) *Checkpoint { panic("model: to come") }
