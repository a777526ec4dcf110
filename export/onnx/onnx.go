// Package onnx writes a checkpoint as an ONNX model, opset 17.
//
// planes [batch, H, W, C]     ->  policy [batch, actions], value [batch], margin [batch]  features
// [batch, features]  ->  the same, for sparse networks, which may also read      action_features
// [batch, PerAction*actions]
//
// All inputs are from the side of the player to move. Planes are written by engine.State.Encode. A
// feature is 1 if engine.FeatureLister lists it, and 0 otherwise. engine.ActionFeatureLister lists
// the action features. (A padded list of the active features would be shorter, but runtimes
// multiply matrices faster than they gather columns: with such a list, onnxruntime takes up to
// three times as long.)
//
// The policy is a logit for every action, neither masked nor normalised. The value is in [-1, 1],
// for the player to move. The margin is in points, for the player to move; only networks with a
// margin head have it. The metadata of the model names the game, the checkpoint and the program.
//
// All numbers are floats, except action features, which are int64.
package onnx

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
	"dojo.example/model"
)

// Write writes the checkpoint as an ONNX model and adds meta to the model's metadata. If
// meta["encoding"] is set, it describes the game's actions and planes. If the network reads
// features, Write adds a description of them.
func Write(w io.Writer, c *model.Checkpoint, features []engine.FeatureGroup, meta map[string]string) error {
	g := &graph{checkpoint: c, features: features, meta: map[string]string{
		"game": c.Game, "spec_version": strconv.Itoa(c.SpecVersion),
		"model": c.Name, "parent": c.Parent, "hash": c.Hash(), "step": strconv.Itoa(c.Step), "seed": strconv.FormatUint(c.Seed, 10),
		"program_version": c.ProgramVersion, "precision": string(model.Float32),
		"actions": fmt.Sprintf("%d, numbered as the game numbers them for the player to move; mask those that are not legal, then softmax", c.Actions),
		"value":   "in [-1, 1], for the player to move",
	}}
	maps.Copy(g.meta, meta)
	g.network()
	_, err := w.Write(g.model())
	return err
}

// A graph collects the nodes of the model. Tensors between nodes have the order NCHW: batch,
// channel, row, column.
type graph struct {
	checkpoint *model.Checkpoint
	features   []engine.FeatureGroup
	meta       map[string]string
	count      int            // number of nodes so far
	places     map[int64]bool // constants that addActionFeatures has added

	nodes, constants, inputs, outputs message // fields of a GraphProto
}

// node adds an operation and returns the generated name of its result.
func (g *graph) node(op string, attributes []message, inputs ...string) string {
	out := fmt.Sprintf("%s_%d", op, g.count)
	g.result(out, op, attributes, inputs...)
	return out
}

// result adds an operation whose result is named out.
func (g *graph) result(out, op string, attributes []message, inputs ...string) {
	var n message
	for _, in := range inputs {
		n = n.text(1, in)
	}
	n = n.text(2, out).text(3, out).text(4, op)
	for _, a := range attributes {
		n = n.bytes(5, a)
	}
	g.nodes = g.nodes.bytes(1, n)
	g.count++
}

// constant adds a tensor and returns its name.
func (g *graph) constant(name string, kind int64, dims []int, raw []byte) string {
	g.constants = g.constants.bytes(5, tensor(name, kind, dims, raw))
	return name
}

// network adds the layers and heads of the architecture.
func (g *graph) network() {
	a := g.checkpoint.Architecture()
	results := map[string]result{}
	for _, l := range a.Layers {
		x, ok := results[l.From]
		if !ok { // l is the first layer and reads the model's input
			x = g.input(l)
			results[l.From] = x
		}
		y := result{board: l.Kind == model.Convolution}
		if y.board {
			y.name = g.conv(l, x.name)
		} else {
			y.name = g.dense(l, g.flat(x))
		}
		if l.Add != "" {
			y.name = g.node("Add", nil, y.name, results[l.Add].name)
		}
		if l.ReLU {
			y.name = g.node("Relu", nil, y.name)
		}
		results[l.Name] = y
	}
	g.constant("row", typeInt64, []int{1}, data([]int64{-1}))
	for _, h := range a.Heads {
		g.head(h, g.flat(results[h.From]))
	}
}

// input adds the input of the model, in the form that the first layer l reads.
func (g *graph) input(l model.Layer) result {
	if n := l.In.C; l.Kind == model.FeatureSum {
		g.inputs = g.inputs.bytes(11, value("features", "1 for an active feature of the position, else 0, seen by the player to move", n))
		g.meta["features"] = fmt.Sprintf("float32 [batch, %d]: 1 for each feature that the game lists for the player to move, 0 for the others", n)
		var list []string
		first := 0
		for _, f := range g.features {
			list = append(list, fmt.Sprintf("%d to %d %s (%s)", first, first+len(f.Each)-1, f.Name, strings.Join(f.Each, ", ")))
			first += len(f.Each)
		}
		if text, ok := g.meta["encoding"]; ok {
			g.meta["encoding"] = "Features, by the numbers of the first and the last of a kind: " + strings.Join(list, "; ") +
				"\n\nActions, and planes, which this network does not read: " + text
		}
		return result{"features", false}
	}
	g.inputs = g.inputs.bytes(11, value("planes", "the position as Encode writes it, seen by the player to move", l.In.H, l.In.W, l.In.C))
	g.meta["planes"] = fmt.Sprintf("float32 [batch, %d, %d, %d]: rows, columns, channels, as the game's Encode writes them for the player to move", l.In.H, l.In.W, l.In.C)
	return result{g.node("Transpose", []message{attribute("perm", 0, 3, 1, 2)}, "planes"), true}
}

// A result is the output of a layer. The output's shape is either [batch, C, H, W], like a board,
// or flat: [batch, C].
type result struct {
	name  string
	board bool
}

// flat returns the name of a flat result with the same numbers as x. The numbers are ordered first
// by cell and then by channel.
func (g *graph) flat(x result) string {
	if !x.board {
		return x.name
	}
	y := g.node("Transpose", []message{attribute("perm", 0, 2, 3, 1)}, x.name)
	return g.node("Flatten", []message{single("axis", 1)}, y)
}

// head adds an output of the model.
func (g *graph) head(h model.Head, x string) {
	switch h.Kind {
	case model.Logits:
		g.result(h.Name, "Identity", nil, x)
		g.output(value(h.Name, "logits of the player to move's actions, legal or not", g.checkpoint.Actions))
	case model.Win:
		g.result(h.Name, "Reshape", nil, g.node("Tanh", nil, x), "row")
		g.output(value(h.Name, "expected outcome for the player to move, 1 a win, -1 a loss"))
	case model.Amount:
		unit := g.constant(h.Name+".unit", typeFloat, []int{1}, data([]float32{h.Unit}))
		g.result(h.Name, "Reshape", nil, g.node("Mul", nil, x, unit), "row")
		g.output(value(h.Name, "expected lead at the end of the player to move, in points"))
	}
}

func (g *graph) output(described message) { g.outputs = g.outputs.bytes(12, described) }

// conv adds a convolution and its bias.
func (g *graph) conv(l model.Layer, x string) string {
	k, in, out := l.K, l.In.C, l.Out.C
	attributes := []message{attribute("kernel_shape", int64(k), int64(k)), attribute("pads", slices.Repeat([]int64{int64(k / 2)}, 4)...)}
	weight := outermost(g.checkpoint.Tensors[l.Name+".weight"], k, in, out)
	w := g.constant(l.Name+".weight", typeFloat, []int{out, in, k, k}, data(weight))
	b := g.constant(l.Name+".bias", typeFloat, []int{out}, data(g.checkpoint.Tensors[l.Name+".bias"]))
	return g.node("Conv", attributes, x, w, b)
}

// outermost transposes weights from [K][K][In][Out] to [Out][In][K][K].
func outermost(w []float32, k, in, out int) []float32 {
	t := make([]float32, len(w))
	for tap := range k * k {
		for i := range in {
			for o := range out {
				t[(o*in+i)*k*k+tap] = w[(tap*in+i)*out+o]
			}
		}
	}
	return t
}

// dense adds a dense layer that reads the flat result x. Layers of kind SelectedDense store their
// weights output by output, and normally compute only some outputs; the ONNX model computes all.
func (g *graph) dense(l model.Layer, x string) string {
	var inputs []string
	for _, p := range l.Params() {
		inputs = append(inputs, g.constant(p.Name, typeFloat, p.Shape, data(g.checkpoint.Tensors[p.Name])))
	}
	var attributes []message
	if l.Kind == model.SelectedDense {
		attributes = []message{single("transB", 1)}
	}
	y := g.node("Gemm", attributes, append([]string{x}, inputs...)...)
	if l.ActionFeatures > 0 {
		y = g.addActionFeatures(l, y)
	}
	return y
}

// addActionFeatures adds the logits of action features to the logits of their actions, and returns
// the name of the sums. The parameter all is the name of the layer's output, which contains first
// the logits of the actions and then the logits of the features.
func (g *graph) addActionFeatures(l model.Layer, all string) string {
	actions := int64(l.Out.C)
	at := func(i int64) string { // returns the name of a constant with the value i
		name := fmt.Sprintf("%s.%d", l.Name, i)
		if !g.places[i] {
			g.places[i] = true
			g.constant(name, typeInt64, []int{1}, data([]int64{i}))
		}
		return name
	}
	g.places = map[int64]bool{}
	n := l.PerAction * l.Out.C
	g.inputs = g.inputs.bytes(11, valueOf(typeInt64, actionFeatures, "of each action its first feature, then of each its second; any number for those that are not legal", n))
	g.meta[actionFeatures] = fmt.Sprintf("int64 [batch, %d]: what each action does, a number from 0 to %d as the game's ActionFeatures lists them; any for actions that are not legal", n, l.ActionFeatures-1)
	columns := func(of string, from int64) string {
		return g.node("Slice", nil, of, at(from), at(from+actions), at(1))
	}
	rows := g.node("Add", nil, actionFeatures, at(actions))
	parts := g.node("GatherElements", []message{single("axis", 1)}, all, rows)
	logits := columns(all, 0)
	for n := range int64(l.PerAction) {
		logits = g.node("Add", nil, logits, columns(parts, n*actions))
	}
	return logits
}

// actionFeatures is the name of the model's second input. Only networks whose policy has action
// features have this input.
const actionFeatures = "action_features"

// model returns the content of the whole file, a ModelProto.
func (g *graph) model() message {
	graph := slices.Concat(g.nodes.text(2, g.checkpoint.Game), g.constants, g.inputs, g.outputs)
	const irVersion, opset = 8, 17
	m := message{}.integer(1, irVersion).text(2, "dojo").text(3, g.checkpoint.ProgramVersion).bytes(7, graph).bytes(8, message{}.integer(2, opset))
	for _, k := range slices.Sorted(maps.Keys(g.meta)) {
		m = m.bytes(14, message{}.text(1, k).text(2, g.meta[k]))
	}
	return m
}
