package kernel

import (
	"math"
	"unsafe"
)

// A matrix is a convolution in the form that the matrix kernels compute. A kernel computes one tile
// of results at a time. A tile is a group of cells (its rows) by a panel of output channels. If
// there are at least as many boards as a tile has rows, the rows of a tile are the same cell of
// different boards. Then a tap (a cell of the K×K window) lies on the board for all rows or for
// none. With fewer boards, the rows of a tile are consecutive cells, and a row reads zeros for a
// tap that lies off the board. The list of tiles consists of 32-bit numbers:
//
//	tile [ taps, first cell | tap [ weights | row 0 | row 1 | ... ] tap [ ... ] ... ]
//	                                \ offsets in bytes: of the weights from the panel's first weight,
//	                                  of the rows from src; negative: the row reads zeros
//
// Weights are packed in the order of their use:
//
//	panel [ tap 0 [ word 0 | word 1 | ... ] tap 1 [ ... ] ... ]
//	                \ one for each channel of the panel
//
// A word is four bytes of an input cell: one float, or four 8-bit numbers.
type matrix struct {
	*level
	heights  []height // the possible heights of tiles, in ascending order
	whole    height   // the tallest of these heights
	channels int      // number of channels in a panel

	H, W    int // size of the board
	In, Out int // numbers of channels
	K       int // size of the convolution's square window: 1 or 3

	words int
	// Number of panels; the last one may be only partly full.
	panels int
	boards []int32 // list of the tiles for boardsAtOnce boards
	cells  []int32 // list of the full tiles, for fewer boards than a tile has rows
	// Tiles for the remaining cells, which do not fill a whole tile; the index is the number of
	// boards.
	last [maxRows][]lastTile
}

// A height is a possible number of rows of a tile, with the kernel for such tiles.
type height struct {
	rows int
	function
}

// boardsAtOnce is the largest number of boards computed by one list of tiles. It is a multiple of
// every possible height of a tile.
const boardsAtOnce = 8

// Maximum size of a tile over all levels.
const maxRows, maxChannels = 8, 32

// A lastTile covers some of the cells that remain when as many of the tallest tiles as possible
// have been filled.
type lastTile struct {
	height
	cells int
	list  []int32
}

// newMatrix returns a convolution with its lists of tiles. whole is the kernel for the tallest
// tiles. The next two kernels must be those for tiles of half that height and for tiles of one row.
func newMatrix(l *level, whole function, h, w, in, words, out, k int) matrix {
	channels := l.channels
	if l == portable {
		channels = out // because portable stores the weights as [tap][in][out]
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

// lastTiles returns tiles for the cells from ≤ cell < end. It always takes the tallest tile that
// would be at least three quarters full, because an emptier one would be slower than smaller tiles.
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

// list appends a tile with the given number of rows to a list. The rows are the cells from,
// from+step, and so on. In the list, each tap of the tile has wide entries for rows; those after
// the last row read zeros.
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

// neighbour returns the input cell that a tap of a k×k convolution reads for the given output cell,
// and whether that input cell is on the board. Boards have h×w cells, and the cells of all boards
// are numbered consecutively.
func neighbour(h, w, k, cell, tap int) (from int, ok bool) {
	y, x, r := cell/w%h, cell%w, k/2
	dy, dx := tap/k-r, tap%k-r
	return cell + dy*w + dx, y+dy >= 0 && y+dy < h && x+dx >= 0 && x+dx < w
}

// forEachTap calls f for each tap that, for the given output cell, reads a cell on the board. from
// is the cell that the tap reads.
func forEachTap(h, w, k, cell int, f func(tap, from int)) {
	for tap := range k * k {
		if from, ok := neighbour(h, w, k, cell, tap); ok {
			f(tap, from)
		}
	}
}

// panelWords returns the number of words in a packed panel of weights.
func (m *matrix) panelWords() int { return m.K * m.K * m.words * m.channels }

// forEachRun calls f for each run of packed words, in the order of their addresses. A run has the
// words for one tap, one input word, and the output channels from ≤ out < to of a panel. i is the
// index of its first word.
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

// Kernels read zeros for taps that lie off the board. It is as long as the longest possible row of
// an input.
var zeros = make([]float32, 1<<16)

// run computes n boards. The caller must have set the pointers in a to the inputs, the weights and
// the results.
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

// forward moves a pointer forward by the given number of bytes. A nil pointer stays nil.
func forward(p unsafe.Pointer, bytes int) unsafe.Pointer {
	if p == nil {
		return nil
	}
	return unsafe.Add(p, bytes)
}

// runTiles computes all panels for the first tiles in a list: as many as the parameter tiles says,
// with the given number of rows each.
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

// runLast computes the last panel if it is only partly full. It computes one tile at a time in
// local memory and then copies the results.
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

// copyRows copies the beginning of each row from inside to outside if out is set, and from outside
// to inside otherwise. left is the number of elements to copy from each row. The distance between
// rows is wide elements in inside, and stride elements in outside.
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

// The lower limits of results: zeroFloor for layers with a ReLU, and noFloor for all others.
var noFloor, zeroFloor = float32(math.Inf(-1)), float32(0)

func floor(relu bool) *float32 {
	if relu {
		return &zeroFloor
	}
	return &noFloor
}

// at returns the address of s[i]. The caller must have checked that i is in range.
func at(s []float32, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), 4*i)
}

// aligned allocates n floats, starting at the beginning of a cache line.
func aligned(n int) []float32 {
	const line = 64
	s := make([]float32, n+line/4)
	skip := -uintptr(unsafe.Pointer(&s[0])) % line / 4
	return s[skip:][:n:n]
}
