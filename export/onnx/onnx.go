// Package onnx writes a checkpoint as an ONNX model, opset 17, for any runtime
// that reads these.
//
//	planes [batch, H, W, C]  ->  policy [batch, actions], value [batch], margin [batch]
//
// The input is what engine.State.Encode writes, seen by the player to move.
// The policy is logits, neither masked nor normalised; the value is in [-1, 1]
// for the player to move; the margin, where there is one, is in points for the
// player to move. Metadata say which game, model and program they are of.
//
// In 8 bits every convolution stands between QuantizeLinear and
// DequantizeLinear, with the same whole numbers that model.Quant computes with:
// sums are exact, scale and bias come after them, and the heads' dense layers
// stay in floats.
package onnx

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"dojo/model"
	"dojo/model/kernel"
)

// Write writes the checkpoint in a precision; meta is more metadata.
func Write(w io.Writer, c *model.Checkpoint, p model.Precision, meta map[string]string) error {
	g := &graph{checkpoint: c}
	if p == model.Int8 {
		var err error
		if g.activations, err = c.Activations(); err != nil {
			return err
		}
		g.constant("one", typeFloat, nil, floats([]float32{1}))
		g.constant("zero", typeUint8, nil, []byte{0})
		g.constant("none", typeFloat, nil, floats([]float32{0}))
		g.constant("most", typeFloat, nil, floats([]float32{kernel.Most}))
	}
	g.network()
	_, err := w.Write(g.model(meta))
	return err
}

// A graph grows node by node. Values between nodes are NCHW.
type graph struct {
	checkpoint  *model.Checkpoint
	activations []model.Activations // of 8 bits, by layer; nil in floats
	nodes       []message
	constants   []message
	outputs     []message
}

// node adds an operation and returns the name of its result.
func (g *graph) node(op string, attributes []message, inputs ...string) string {
	out := fmt.Sprintf("%s_%d", op, len(g.nodes))
	g.result(out, op, attributes, inputs...)
	return out
}

// result adds an operation with a result of a given name.
func (g *graph) result(out, op string, attributes []message, inputs ...string) {
	var n message
	for _, in := range inputs {
		n.text(1, in)
	}
	n.text(2, out)
	n.text(3, out)
	n.text(4, op)
	for _, a := range attributes {
		n.bytes(5, a)
	}
	g.nodes = append(g.nodes, n)
}

func (g *graph) constant(name string, kind int64, dims []int, raw []byte) string {
	g.constants = append(g.constants, tensor(name, kind, dims, raw))
	return name
}

// perChannel is a constant that applies to all cells of a board alike.
func (g *graph) perChannel(name string, v []float32) string {
	return g.constant(name, typeFloat, []int{1, len(v), 1, 1}, floats(v))
}

// network adds the network of model.Network's drawing.
func (g *graph) network() {
	c := g.checkpoint
	cells := c.Planes.Cells()
	planes := g.node("Transpose", []message{attribute("perm", 0, 3, 1, 2)}, "planes")
	kind := 0
	next := func() int { kind++; return kind - 1 }
	in := next()
	x := g.relu(g.conv("stem", planes, in, c.Stem(), c.Planes.C, c.Channels))
	in = next()
	for i := range c.Blocks {
		y := g.relu(g.conv(fmt.Sprintf("block%d.conv1", i), x, in, 3, c.Channels, c.Channels))
		y = g.conv(fmt.Sprintf("block%d.conv2", i), y, next(), 3, c.Channels, c.Channels)
		x = g.relu(g.node("Add", nil, y, x))
		in = next()
	}
	if p, ok := c.ConvPolicy(); ok {
		y := g.flat(g.conv("policy", x, in, 1, c.Channels, p))
		g.result("policy", "Identity", nil, y)
	} else {
		y := g.flat(g.relu(g.conv("policy", x, in, 1, c.Channels, c.PolicyPlanes)))
		g.dense("policy", "policy.dense", y, cells*c.PolicyPlanes, c.Actions)
	}
	v := g.flat(g.relu(g.conv("value", x, in, 1, c.Channels, c.ValuePlanes)))
	g.dense("hidden", "value.hidden", v, cells*c.ValuePlanes, c.ValueFeatures)
	h := g.relu("hidden")
	g.dense("win", "value.out", h, c.ValueFeatures, 1)
	row := g.constant("row", typeInt64, []int{1}, integers([]int64{-1}))
	g.result("value", "Reshape", nil, g.node("Tanh", nil, "win"), row)
	g.outputs = append(g.outputs,
		value("policy", "logits of the player to move's actions, legal or not", c.Actions),
		value("value", "expected outcome for the player to move, 1 a win, -1 a loss"))
	if c.Margin > 0 {
		g.dense("lead", "margin.out", h, c.ValueFeatures, 1)
		points := g.constant("points", typeFloat, []int{1}, floats([]float32{float32(c.Margin)}))
		g.result("margin", "Reshape", nil, g.node("Mul", nil, "lead", points), row)
		g.outputs = append(g.outputs, value("margin", "expected lead at the end of the player to move, in points"))
	}
}

func (g *graph) relu(x string) string { return g.node("Relu", nil, x) }

// flat is a board's values cell by cell, channels innermost.
func (g *graph) flat(x string) string {
	y := g.node("Transpose", []message{attribute("perm", 0, 2, 3, 1)}, x)
	return g.node("Flatten", []message{single("axis", 1)}, y)
}

// conv adds a convolution whose input is of a kind of activations.
func (g *graph) conv(name, x string, kind, k, in, out int) string {
	weight, bias := g.checkpoint.Tensors[name+".weight"], g.checkpoint.Tensors[name+".bias"]
	attributes := []message{attribute("kernel_shape", int64(k), int64(k)), attribute("pads", slices.Repeat([]int64{int64(k / 2)}, 4)...)}
	dims := []int{out, in, k, k}
	if g.activations == nil {
		w := g.constant(name+".weight", typeFloat, dims, floats(outermost(weight, k, in, out)))
		b := g.constant(name+".bias", typeFloat, []int{out}, floats(bias))
		return g.node("Conv", attributes, x, w, b)
	}
	a := g.activations[kind]
	whole, scale := kernel.Whole(weight, a.Units, out)
	turned := outermost(whole, k, in, out)
	raw := make([]byte, len(turned))
	for i, v := range turned {
		raw[i] = byte(v)
	}
	counted := g.node("Clip", nil, g.node("Mul", nil, x, g.perChannel(name+".inverse", a.Inverse)), "none", "most")
	rounded := g.node("DequantizeLinear", nil, g.node("QuantizeLinear", nil, counted, "one", "zero"), "one", "zero")
	w := g.node("DequantizeLinear", nil, g.constant(name+".weight", typeInt8, dims, raw), "one")
	sum := g.node("Conv", attributes, rounded, w)
	scaled := g.node("Mul", nil, sum, g.perChannel(name+".scale", scale))
	return g.node("Add", nil, scaled, g.perChannel(name+".bias", bias))
}

// outermost turns weights [K][K][In][Out] into [Out][In][K][K].
func outermost[T any](w []T, k, in, out int) []T {
	t := make([]T, len(w))
	for tap := range k * k {
		for i := range in {
			for o := range out {
				t[(o*in+i)*k*k+tap] = w[(tap*in+i)*out+o]
			}
		}
	}
	return t
}

// dense adds a dense layer with a result of a given name.
func (g *graph) dense(result, name, x string, in, out int) {
	w := g.constant(name+".weight", typeFloat, []int{in, out}, floats(g.checkpoint.Tensors[name+".weight"]))
	b := g.constant(name+".bias", typeFloat, []int{out}, floats(g.checkpoint.Tensors[name+".bias"]))
	g.result(result, "Gemm", nil, x, w, b)
}

// model is the ModelProto.
func (g *graph) model(meta map[string]string) message {
	c := g.checkpoint
	var graph message
	for _, n := range g.nodes {
		graph.bytes(1, n)
	}
	graph.text(2, c.Game)
	for _, t := range g.constants {
		graph.bytes(5, t)
	}
	s := c.Planes
	graph.bytes(11, value("planes", "the position as Encode writes it, seen by the player to move", s.H, s.W, s.C))
	for _, o := range g.outputs {
		graph.bytes(12, o)
	}
	precision := model.Float32
	if g.activations != nil {
		precision = model.Int8
	}
	all := map[string]string{
		"game": c.Game, "spec_version": strconv.Itoa(c.SpecVersion),
		"model": c.Name, "parent": c.Parent, "hash": c.Hash(), "step": strconv.Itoa(c.Step), "seed": strconv.FormatUint(c.Seed, 10),
		"program_version": c.ProgramVersion, "precision": string(precision),
		"planes":  fmt.Sprintf("float32 [batch, %d, %d, %d]: rows, columns, channels, as the game's Encode writes them for the player to move", s.H, s.W, s.C),
		"actions": fmt.Sprintf("%d, numbered as the game numbers them for the player to move; mask those that are not legal, then softmax", c.Actions),
		"value":   "in [-1, 1], for the player to move",
	}
	maps.Copy(all, meta)
	var opset, m message
	opset.integer(2, 17)
	m.integer(1, 8) // IR version
	m.text(2, "dojo")
	m.text(3, c.ProgramVersion)
	m.bytes(7, graph)
	m.bytes(8, opset)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		var entry message
		entry.text(1, k)
		entry.text(2, all[k])
		m.bytes(14, entry)
	}
	return m
}
