package kernel

import "unsafe"

// Rows is a matrix of floats with a row for each feature or each action. A sparse layer uses only a
// few rows at a time. The methods take lists of row numbers, which need not be sorted and may
// contain a number more than once. Width must be a multiple of 16.
type Rows struct {
	Data  []float32 // row-major
	Width int       // number of columns
}

// Sum adds the rows listed in index to dst, in the order of the list: dst[j] += Σ_i
// row(index[i])[j].
func (m Rows) Sum(dst []float32, index []uint16) {
	m.chosen(gatherFunction, dst, 0, m.Width, []uint32{uint32(len(index))}, index, nil)
}

// SumEach multiplies rows of m by coefficients and adds them to the rows of dst, a matrix as wide
// as m. It changes only n columns, beginning with column from; n must be a multiple of 16:
//
//	dst[j] += Σ_i coefficients[i] · row(index[i])[j]
//
// index contains a list of row numbers for each row of dst, one list after another. counts contains
// the lengths of these lists. If coefficients is nil, all coefficients are 1.
func (m Rows) SumEach(dst []float32, from, n int, counts []uint32, index []uint16, coefficients []float32) {
	m.chosen(gatherFunction, dst[from:], from, n, counts, index, coefficients)
}

// AddEach multiplies the rows of src by coefficients and adds them to rows of m. src is a matrix as
// wide as m, and each row of src has a list of the rows of m to which it is added. AddEach changes
// only n columns, beginning with column from:
//
//	row(index[i])[j] += coefficients[i] · src[j]
//
// index and counts contain the lists, as for SumEach.
func (m Rows) AddEach(src []float32, from, n int, counts []uint32, index []uint16, coefficients []float32) {
	m.chosen(scatterFunction, src[from:], from, n, counts, index, coefficients)
}

// chosen runs f, the kernel of SumEach or AddEach, on n columns, beginning with column from.
func (m Rows) chosen(f function, vectors []float32, from, n int, counts []uint32, index []uint16, coefficients []float32) {
	m.check(index)
	total := uint32(0)
	for _, c := range counts {
		total += c
	}
	if from < 0 || n%16 != 0 || from+n > m.Width || coefficients != nil && len(coefficients) != len(index) || int(total) != len(index) {
		panic("kernel: the columns, counts or coefficients do not fit the rows")
	}
	if len(index) == 0 || n == 0 {
		return
	}
	_ = vectors[(len(counts)-1)*m.Width+n-1]
	if !active.has(f) {
		for i, c := range counts {
			var some []float32
			if coefficients != nil {
				some, coefficients = coefficients[:c], coefficients[c:]
			}
			m.chosenPortable(f, vectors[i*m.Width:][:n], from, index[:c], some)
			index = index[c:]
		}
		return
	}
	var a rowsArgs // set the fields one by one; see FeatureSum.Run
	a.dst, a.rows, a.index = at(vectors, 0), at(m.Data, from), unsafe.Pointer(unsafe.SliceData(index))
	a.coefficients, a.stride, a.left = unsafe.Pointer(&one), 4*m.Width, n
	a.lists, a.counts = len(counts), unsafe.Pointer(unsafe.SliceData(counts))
	if coefficients != nil {
		a.coefficients, a.coefficientStep = at(coefficients, 0), 4
	}
	active.call(f, unsafe.Pointer(&a))
}

func (m Rows) check(index []uint16) {
	if m.Width%16 != 0 {
		panic("kernel: a row's width is not a multiple of 16")
	}
	checkRows(index, len(m.Data)/max(1, m.Width))
}

// checkRows panics if a number in index is rows or more. It tests four numbers at a time, as one
// 64-bit integer. A 16-bit number is too large if its highest bit is set, or if adding 1<<15 − rows
// sets its highest bit. If none of the four numbers has its highest bit set, these additions do not
// carry into the next number.
func checkRows(index []uint16, rows int) {
	const highest, each = 0x8000_8000_8000_8000, 0x0001_0001_0001_0001
	missing, large := uint64(1<<15-rows)*each, uint64(0)
	if rows <= 1<<15 && len(index) >= 4 {
		fours := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(index))), len(index)/4)
		for _, f := range fours {
			large |= f | (f + missing)
		}
		index = index[4*len(fours):]
	}
	for _, i := range index {
		if int(i) >= rows {
			large = ^uint64(0)
		}
	}
	if large&highest != 0 {
		panic("kernel: a row number is too large")
	}
}

func (m Rows) chosenPortable(f function, vector []float32, from int, index []uint16, coefficients []float32) {
	c := float32(1)
	for i, number := range index {
		if coefficients != nil {
			c = coefficients[i]
		}
		row := m.Data[int(number)*m.Width+from:][:len(vector)]
		if f == gatherFunction {
			for j, w := range row {
				vector[j] = multiplyAdd(c, w, vector[j])
			}
			continue
		}
		for j, x := range vector {
			row[j] = multiplyAdd(c, x, row[j])
		}
	}
}

// Dots multiplies x by rows: dst[i] = row(index[i]) · x. x must be as long as a row. Each sum is
// computed as eight partial sums: partial sum k adds the products of the columns j with j mod 8 =
// k. At the end, Dots adds partial sum i+4 to partial sum i, then i+2 to i, and then i+1 to i.
func (m Rows) Dots(dst []float32, index []uint16, x []float32) {
	m.check(index)
	dst, x = dst[:len(index)], x[:m.Width]
	if !active.has(dotsFunction) {
		for i, number := range index {
			dst[i] = dot(m.Data[int(number)*m.Width:][:m.Width], x)
		}
		return
	}
	a := rowsArgs{rows: at(m.Data, 0), src: at(x, 0), stride: 4 * m.Width, count: m.Width / 8}
	active.products(dotsFunction, a, dst, index)
}

// dot returns the dot product of two vectors, added up in the same order as in the kernels.
func dot(x, y []float32) float32 {
	var parts [8]float32
	for j := range x {
		parts[j%8] = multiplyAdd(x[j], y[j], parts[j%8])
	}
	for n := 4; n > 0; n /= 2 {
		for j := range n {
			parts[j] += parts[j+n]
		}
	}
	return parts[0]
}

// products runs the kernel f, which takes four row numbers at a time. If the last group has fewer
// than four, products fills it up with the number 0 and ignores the results for the added numbers.
func (l *level) products(f function, a rowsArgs, dst []float32, index []uint16) {
	const atOnce = 4
	whole := len(index) / atOnce * atOnce
	if whole > 0 {
		a.dst, a.index, a.groups = at(dst, 0), unsafe.Pointer(unsafe.SliceData(index)), whole/atOnce
		l.call(f, unsafe.Pointer(&a))
	}
	if whole == len(index) {
		return
	}
	var last [atOnce]uint16
	var out [atOnce]float32
	copy(last[:], index[whole:])
	a.dst, a.index, a.groups = unsafe.Pointer(&out), unsafe.Pointer(&last), 1
	l.call(f, unsafe.Pointer(&a))
	copy(dst[whole:], out[:])
}
