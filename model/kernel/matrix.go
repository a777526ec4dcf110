package kernel

import (
	"math"
	"unsafe"
)

// A matrix is a convolution as the matrix kernels compute it. Their sums are those of a
// tile of results: some cells by a panel of channels. Where there are as many boards as a
// tile has rows it is the same cell of each, so that a tap is on the board for all of them or
// for none. Tiles of fewer boards are cells in their order, and a row that is off the
// board for a tap reads zeros. The list of tiles has numbers of 32 bits:
//
//	tile [ taps, first cell | tap [ weights | row 0 | row 1 | ... ] tap [ ... ] ... ]
//	                                \ bytes from the panel's first weight, and from src on; negative for zeros
//
// Weights are packed in the order of their use:
//
//	panel [ tap 0 [ word 0 | word 1 | ... ] tap 1 [ ... ] ... ]
//	                \ one for each channel of the panel
//
// A word is four bytes of an input cell: a float, or four numbers of 8 bits.
type matrix struct {
	*level
	heights  []height // of tiles, in ascending order
	whole    height   // the last of them
	channels int      // of a panel

	H, W    int // the board
	In, Out int // channels
	K       int // the width of the convolution's kernel: 1 or 3

	words  int
	panels int                 // the last of them may be wider than the channels that are left
	boards []int32             // the tiles of boardsAtOnce boards
	cells  []int32             // of fewer boards than a tile has rows, without the last tile
	last   [maxRows][]lastTile // the last tiles, by the number of boards
}

// A height is a number of rows that there is a kernel for.
type height struct {
	rows int
	function
}

// boardsAtOnce is a multiple of the rows of every tile.
const boardsAtOnce = 8

// The largest tile.
const maxRows, maxChannels = 8, 32

// A lastTile is one of the tiles of the cells that are too few for a whole one.
type lastTile struct {
	height
	cells int
	list  []int32
}

// newMatrix lists the tiles of a convolution. whole is the kernel of whole tiles; the next two are
// those of half of one and of one row.
func newMatrix(l *level, whole function, h, w, in, words, out, k int) matrix {
	channels := l.channels
	if l == portable {
		channels = out // weights lie as [tap][in][out]
	}
	heights := []height{{1, whole + 2}, {l.rows / 2, whole + 1}, {l.rows, whole}}
	m := matrix{
		level: l, heights: heights, whole: heights[2], channels: channels, H: h, W: w, In: in, Out: out, K: k,
		words: words, panels: (out + channels - 1) / channels,
	}
	board := h * w
	for first := 0; first < boardsAtOnce; first += m.whole.rows {
		for cell := range board {
			m.boards = m.list(m.boards, first*board+cell, board, m.whole.rows, m.whole.rows)
		}
	}
	for boards := 1; boards < m.whole.rows; boards++ {
		end := boards * board
		m.last[boards] = m.lastTiles(end-end%m.whole.rows, end)
	}
	for from := 0; from+m.whole.rows <= (m.whole.rows-1)*board; from += m.whole.rows {
		m.cells = m.list(m.cells, from, 1, m.whole.rows, m.whole.rows)
	}
	return m
}

// lastTiles lists tiles of the cells from ≤ cell < end. A tile is three quarters full at
// least: less work than a taller one that is emptier.
func (m *matrix) lastTiles(from, end int) (tiles []lastTile) {
	for left := end - from; left > 0; left = end - from {
		i := len(m.heights) - 1
		for 4*left < 3*m.heights[i].rows {
			i--
		}
		h := m.heights[i]
		cells := min(left, h.rows)
		tiles = append(tiles, lastTile{h, cells, m.list(nil, from, 1, cells, h.rows)})
		from += cells
	}
	return tiles
}

// list appends a tile of some cells, from one on in steps. It has entries for wide rows.
func (m *matrix) list(list []int32, from, step, rows, wide int) []int32 {
	start := len(list)
	list = append(list, 0, int32(from))
	for tap := range m.K * m.K {
		entry := []int32{int32(4 * tap * m.words * m.channels)}
		on := false
		for i := range wide {
			cell, ok := -1, false
			if i < rows {
				cell, ok = neighbour(m.H, m.W, m.K, from+i*step, tap)
			}
			if !ok {
				cell = -1
			}
			entry = append(entry, int32(4*m.words*cell))
			on = on || ok
		}
		if on {
			list[start]++
			list = append(list, entry...)
		}
	}
	return list
}

// neighbour is the cell that a tap of a k×k convolution reads at a cell of some boards of
// h×w, and whether it is on the board. Cells are counted over all boards.
func neighbour(h, w, k, cell, tap int) (from int, ok bool) {
	y, x, r := cell/w%h, cell%w, k/2
	dy, dx := tap/k-r, tap%k-r
	return cell + dy*w + dx, y+dy >= 0 && y+dy < h && x+dx >= 0 && x+dx < w
}

// forEachTap calls f with each tap at a cell that is on the board, and the cell that it reads.
func forEachTap(h, w, k, cell int, f func(tap, from int)) {
	for tap := range k * k {
		if from, ok := neighbour(h, w, k, cell, tap); ok {
			f(tap, from)
		}
	}
}

// panelWords is the number of packed words of a panel.
func (m *matrix) panelWords() int { return m.K * m.K * m.words * m.channels }

// forEachRun visits the packed words in the order in which they lie in memory. A run is
// those of one tap and one word of the input for the output channels from ≤ out < to of a
// panel; it begins at index i.
func (m *matrix) forEachRun(f func(i, tap, word, from, to int)) {
	i := 0
	for from := 0; from < m.Out; from += m.channels {
		for tap := range m.K * m.K {
			for word := range m.words {
				f(i, tap, word, from, min(m.Out, from+m.channels))
				i += m.channels
			}
		}
	}
}

// zeros is a row of cells off the board. It is as long as rows may be.
var zeros = make([]float32, 1<<16)

// run computes n boards. The caller has set the pointers of all operands.
func (m *matrix) run(a *matrixArgs, n int) {
	a.zeros, a.words, a.panelBytes = at(zeros, 0), m.words, 4*m.panelWords()
	a.cellStride, a.quantCells = 4*m.Out, m.Out
	board := m.H * m.W
	for {
		boards := min(n, boardsAtOnce)
		if boards >= m.whole.rows {
			boards = boards / m.whole.rows * m.whole.rows
			a.stride, a.quantStride = board*a.cellStride, board*a.quantCells
			m.runTiles(a, m.whole, m.boards, board*boards/m.whole.rows, m.whole.rows)
		} else {
			a.stride, a.quantStride = a.cellStride, a.quantCells
			rows := boards * board
			if tiles := rows / m.whole.rows; tiles > 0 {
				m.runTiles(a, m.whole, m.cells, tiles, m.whole.rows)
			}
			for _, t := range m.last[boards] {
				m.runTiles(a, t.height, t.list, 1, t.cells)
			}
		}
		if n -= boards; n == 0 {
			return
		}
		cells := boards * board
		a.src = unsafe.Add(a.src, cells*4*m.words)
		a.dst, a.res = forward(a.dst, cells*a.cellStride), forward(a.res, cells*a.cellStride)
		a.quant = forward(a.quant, cells*a.quantCells)
	}
}

// forward moves a pointer forward by some bytes; nil stays nil.
func forward(p unsafe.Pointer, bytes int) unsafe.Pointer {
	if p == nil {
		return nil
	}
	return unsafe.Add(p, bytes)
}

// runTiles computes all panels of the first tiles of a list.
func (m *matrix) runTiles(a *matrixArgs, h height, list []int32, tiles, rows int) {
	a.tiles, a.rows = tiles, rows
	whole := m.Out / m.channels
	if whole > 0 {
		a.list, a.panels, a.panel, a.channel = unsafe.Pointer(&list[0]), whole, whole, 0
		m.call(h.function, unsafe.Pointer(a))
	}
	if whole < m.panels {
		m.runLast(a, h, list)
	}
}

// runLast computes the last panel, which is wider than what is left of the results, tile by
// tile in memory of its own.
func (m *matrix) runLast(all *matrixArgs, h height, list []int32) {
	var floats [maxRows * maxChannels]float32
	var bytes [maxRows * maxChannels]uint8
	var inverse [maxChannels]float32
	from := m.Out / m.channels * m.channels
	left := m.Out - from
	a := *all
	a.weight = unsafe.Add(a.weight, (m.panels-1)*a.panelBytes)
	a.bias, a.scale = unsafe.Add(a.bias, 4*from), forward(a.scale, 4*from)
	a.stride, a.quantStride, a.cellStride, a.quantCells = 4*m.channels, m.channels, 0, 0
	if a.res != nil {
		a.res = unsafe.Pointer(&floats)
	}
	if a.dst != nil {
		a.dst = unsafe.Pointer(&floats)
	}
	if a.quant != nil {
		a.quant = unsafe.Pointer(&bytes)
		copy(inverse[:], unsafe.Slice((*float32)(a.inverse), m.Out)[from:])
		a.inverse = unsafe.Pointer(&inverse)
	}
	a.tiles, a.panels = 1, 1
	for range all.tiles {
		taps, cell := int(list[0]), int(list[1])
		place, quantPlace := 4*from+cell*all.cellStride, from+cell*all.quantCells
		if all.res != nil {
			copyRows(floats[:], m.channels, unsafe.Add(all.res, place), all.stride/4, a.rows, left, false)
		}
		a.panel, a.channel, a.list = 1, 0, unsafe.Pointer(&list[0])
		m.call(h.function, unsafe.Pointer(&a))
		if all.dst != nil {
			copyRows(floats[:], m.channels, unsafe.Add(all.dst, place), all.stride/4, a.rows, left, true)
		}
		if all.quant != nil {
			copyRows(bytes[:], m.channels, unsafe.Add(all.quant, quantPlace), all.quantStride, a.rows, left, true)
		}
		list = list[2+taps*(1+h.rows):]
	}
}

// copyRows copies the first left elements of some rows to inside, whose rows are wide, or
// from there.
func copyRows[T any](inside []T, wide int, outside unsafe.Pointer, stride, rows, left int, out bool) {
	all := unsafe.Slice((*T)(outside), (rows-1)*stride+left)
	for i := range rows {
		from, to := all[i*stride:][:left], inside[i*wide:][:left]
		if out {
			from, to = to, from
		}
		copy(to, from)
	}
}

// Floors of results.
var noFloor, zeroFloor = float32(math.Inf(-1)), float32(0)

func floor(relu bool) *float32 {
	if relu {
		return &zeroFloor
	}
	return &noFloor
}

// at is the address of element i. The caller has checked the bounds.
func at(s []float32, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), 4*i)
}

// aligned allocates n floats at a multiple of a cache line.
func aligned(n int) []float32 {
	const line = 64
	s := make([]float32, n+line/4)
	skip := -uintptr(unsafe.Pointer(&s[0])) % line / 4
	return s[skip:][:n:n]
}
