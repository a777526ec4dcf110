package graph

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"
	"dojo.example/internal/safetensors"
	"dojo.example/model"
)

// SetWeights copies the parameters of a checkpoint and resets the optimiser to its initial state.
func (t *Trainer) SetWeights(c *model.Checkpoint) error {
	if c.Network != t.network {
		return fmt.Errorf("graph: checkpoint %s has another architecture: %+v, want %+v", c.Name, c.Network, t.network)
	}
	t.solver.Steps = 0
	for _, l := range t.layers {
		params := slices.Concat(c.Tensors[l.Name+".weight"], c.Tensors[l.Name+".bias"])
		copy(l.Values, params)
		copy(l.Average, params)
		clear(l.First)
		clear(l.Second)
	}
	return nil
}

// Average returns a copy of the running average of the parameters, by parameter name (Param.Name).
func (t *Trainer) Average() map[string][]float32 {
	all := map[string][]float32{}
	for _, l := range t.layers {
		weights, biases := l.Split(slices.Clone(l.Average))
		all[l.Name+".weight"], all[l.Name+".bias"] = weights, biases
	}
	return all
}

// state returns all arrays that a step changes, in the order in which Save writes them. Each array
// is named by a prefix for its kind and the name of its layer.
func (t *Trainer) state() (all []safetensors.Tensor) {
	for kind, name := range []string{"params.", "average.", "first.", "second."} {
		for _, l := range t.layers {
			array := [][]float32{l.Values, l.Average, l.First, l.Second}[kind]
			all = append(all, safetensors.Tensor{Name: name + l.Name, Shape: l.Shape(), Data: array})
		}
	}
	return all
}

// Save writes a file with the caller's metadata and everything that Restore needs to continue
// training bit for bit.
func (t *Trainer) Save(path string, meta map[string]string) error {
	all := map[string]string{}
	maps.Copy(all, meta)
	all["format"], all["steps"] = "dojo trainer", strconv.Itoa(t.solver.Steps)
	err := atomicfile.WriteFile(path, func(w io.Writer) error { return safetensors.Write(w, all, t.state()) })
	if err != nil {
		return fmt.Errorf("save trainer state: %w", err)
	}
	return nil
}

// Restore loads a file that Save wrote, and returns its metadata. If the file is missing, the error
// wraps fs.ErrNotExist. After an error the trainer is unchanged.
func (t *Trainer) Restore(path string) (map[string]string, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("trainer state: %w", err)
	}
	defer file.Close()
	meta, tensors, err := safetensors.Read(file)
	if err != nil {
		return nil, fmt.Errorf("trainer state %s: %w", path, err)
	}
	steps, err := strconv.Atoi(meta["steps"])
	if err != nil || steps < 0 || meta["format"] != "dojo trainer" {
		return nil, fmt.Errorf("trainer state %s: it is not the state of a trainer", path)
	}
	state := map[string][]float32{}
	for _, x := range t.state() {
		state[x.Name] = x.Data
	}
	if len(tensors) != len(state) {
		return nil, fmt.Errorf("trainer state %s: it has %d tensors, but this network has %d", path, len(tensors), len(state))
	}
	for _, x := range tensors {
		if len(state[x.Name]) != len(x.Data) {
			return nil, fmt.Errorf("trainer state %s: tensor %s has %d elements, but this network needs %d", path, x.Name, len(x.Data), len(state[x.Name]))
		}
		if err := model.Finite(x.Name, x.Data); err != nil {
			return nil, fmt.Errorf("trainer state %s: %w", path, err)
		}
	}
	for _, x := range tensors {
		copy(state[x.Name], x.Data)
	}
	t.solver.Steps = steps
	return meta, nil
}
