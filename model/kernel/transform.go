package kernel

import "slices"

// widest is how many floats the widest vector has.
const widest = 16

// points is the number of points that polynomials are evaluated at: 1 and −1, 2 and −2,
// ½ and −½, and infinity, in this order. The value of a polynomial at infinity is its
// leading coefficient.
const points = 7

// A transform multiplies n numbers with a matrix that has a row for each point; the way back
// multiplies with the transposed matrix.
//
// The rows of a pair of opposite points, p and −p, are equal but for the sign of some factors.
// So the products are summed in two groups, those whose factors are equal and those whose
// sign changes: the sum of the two is the result at p, their difference that at −p.
type transform struct {
	n            int
	stable, flip []int // indices of the numbers with equal factors at p and −p, and of those whose sign changes
	last         []int // indices of the numbers with a factor at infinity; the others have none

	// factors has, for each pair, the factors of stable and then those of flip, and at the
	// end those of last. Each is repeated for all lanes of the widest vector.
	factors []float32
}

// The three transforms of the minimal algorithm F(5, 3), for five results of a filter with
// three taps (Winograd 1980; for networks Lavin and Gray 2016). A filter's results are
// coefficients of a product of polynomials: both are evaluated at the points, multiplied
// there, and the product is interpolated. A layer's convolution is the transpose of this, so
// that the matrix of the interpolation transforms the input. Its row for the point p has the
// coefficients of Π(x−q), divided by Π(p−q), where q are the other points but infinity; the
// row for infinity has those of Π(x−q) for all of them.
var (
	// Of the five cells in a row of a board: of x¹ to x⁵, since x⁰ and x⁶ belong to the
	// empty cells at the board's edges. The row of −p is divided as that of p is, whose
	// divisor has the other sign: so values at negative points are negated.
	inputTransform = newTransform([]int{0, 2, 4}, []int{1, 3}, []int{1, 3, 4},
		1/-4.5, -4.25/-4.5, 1/-4.5, -4.25/-4.5, 1/-4.5,
		0.25/45, -1.25/45, 1./45, 2*-1.25/45, 2./45,
		4/2.8125, -5/2.8125, 1/2.8125, 0.5*-5/2.8125, 0.5/2.8125,
		5.25, -5.25, 0)
	// Of the five results: forward, its transpose takes products at the points to results;
	// backward, it takes their gradients to the points.
	outputTransform = newTransform([]int{0, 2, 4}, []int{1, 3}, []int{1, 3, 4},
		1, 1, 1, 1, 1,
		1, 4, 16, 2, 8,
		1, 0.25, 0.0625, 0.5, 0.125,
		0, 0, 1)
	// Of the three taps, as coefficients of a polynomial. Values at negative points are
	// negated, as those of the input are, which leaves their products as they should be.
	// So both transforms of five numbers flip the same of them and share their kernels.
	weightTransform = newTransform([]int{1}, []int{0, 2}, []int{2},
		1, 1, 1,
		2, 1, 4,
		0.5, 1, 0.25,
		1)
)

func newTransform(stable, flip, last []int, factors ...float32) *transform {
	t := &transform{n: len(stable) + len(flip), stable: stable, flip: flip, last: last, factors: aligned(widest * len(factors))}
	for i := range t.factors {
		t.factors[i] = factors[i/widest]
	}
	return t
}

// A grid is arrays in two dimensions of vectors, all of one length. The distances are in
// floats.
type grid struct {
	data        []float32
	row, column int // from a row to the next, and from a column
	next        int // from an array to the next
}

// scratch is how many floats a transform of vectors of a length needs to work with.
func (t *transform) scratch(length int) int { return points * t.n * length }

// expand turns each of some arrays of n×n vectors into points×points, columns first, then
// rows.
func (t *transform) expand(dst, src grid, arrays int, scratch []float32, length int) {
	t.run(true, arrays, pass{
		dst: grid{scratch, length, t.n * length, 0}, src: grid{src.data, src.column, src.row, src.next},
		length: length, rows: t.n,
	}, pass{
		dst: dst, src: grid{scratch, t.n * length, length, 0},
		length: length, rows: points,
	})
}

// contract turns each of some arrays of points×points vectors into n×n, by the transpose of
// expand's matrix.
func (t *transform) contract(dst, src grid, arrays int, scratch []float32, length int) {
	t.run(false, arrays, pass{
		dst: grid{scratch, t.n * length, length, 0}, src: src,
		length: length, rows: points,
	}, pass{
		dst: grid{dst.data, dst.column, dst.row, dst.next}, src: grid{scratch, length, t.n * length, 0},
		length: length, rows: t.n,
	})
}

// A pass is transforms along the rows of a grid, one for each float of its vectors.
type pass struct {
	dst, src     grid
	length, rows int
}

// run makes two passes over each of some arrays.
func (t *transform) run(expand bool, arrays int, first, second pass) {
	in, out := t.n, points
	if !expand {
		in, out = out, in
	}
	a, b := first.args(t, arrays, in, out), second.args(t, arrays, in, out)
	for i := range arrays {
		if !active.trains() {
			t.runPortable(expand, i, first)
			t.runPortable(expand, i, second)
			continue
		}
		a.src, b.dst = at(first.src.data, i*first.src.next), at(second.dst.data, i*second.dst.next)
		a.rows, b.rows = first.rows, second.rows
		if expand {
			active.expand(t.n, &a)
			active.expand(t.n, &b)
		} else {
			active.contract(t.n, &a)
			active.contract(t.n, &b)
		}
	}
}

// args is what the kernels read. It panics if a grid is too small for so many arrays of
// transforms of in numbers to out.
func (p *pass) args(t *transform, arrays, in, out int) transformArgs {
	_ = p.src.data[p.src.size(arrays, p.rows, in, p.length)-1]
	_ = p.dst.data[p.dst.size(arrays, p.rows, out, p.length)-1]
	return transformArgs{
		dst: at(p.dst.data, 0), src: at(p.src.data, 0), factors: at(t.factors, 0),
		dstStep: 4 * p.dst.column, srcStep: 4 * p.src.column,
		dstRow: 4 * (p.dst.row - p.length), srcRow: 4 * (p.src.row - p.length),
		vectors: p.length / active.lanes(),
	}
}

// size is how many floats some arrays span.
func (g *grid) size(arrays, rows, columns, length int) int {
	return (arrays-1)*g.next + (rows-1)*g.row + (columns-1)*g.column + length
}

// runPortable makes a pass over array i.
func (t *transform) runPortable(expand bool, i int, p pass) {
	var x, y [points]float32
	for row := range p.rows {
		for j := range p.length {
			src, dst := p.src.data[i*p.src.next+row*p.src.row+j:], p.dst.data[i*p.dst.next+row*p.dst.row+j:]
			if expand {
				for k := range t.n {
					x[k] = src[k*p.src.column]
				}
				t.toPoints(&y, &x)
				for k := range points {
					dst[k*p.dst.column] = y[k]
				}
				continue
			}
			for k := range points {
				x[k] = src[k*p.src.column]
			}
			t.fromPoints(&y, &x)
			for k := range t.n {
				dst[k*p.dst.column] = y[k]
			}
		}
	}
}

// toPoints is expand for one transform in one dimension.
func (t *transform) toPoints(y, x *[points]float32) {
	sum := func(place int, numbers []int) (s float32) {
		for i, number := range numbers {
			s = t.add(s, i == 0, place+i, x[number])
		}
		return s
	}
	for pair := range points / 2 {
		place := pair * t.n
		stable, flip := sum(place, t.stable), sum(place+len(t.stable), t.flip)
		y[2*pair], y[2*pair+1] = stable+flip, stable-flip
	}
	y[points-1] = sum(points/2*t.n, t.last)
}

// fromPoints is contract for one transform in one dimension.
func (t *transform) fromPoints(y, x *[points]float32) {
	for number := range t.n {
		place := slices.Index(append(slices.Clone(t.stable), t.flip...), number)
		var s float32
		for pair := range points / 2 {
			both := x[2*pair] + x[2*pair+1]
			if slices.Contains(t.flip, number) {
				both = x[2*pair] - x[2*pair+1]
			}
			s = t.add(s, pair == 0, pair*t.n+place, both)
		}
		if i := slices.Index(t.last, number); i >= 0 {
			s = t.add(s, false, points/2*t.n+i, x[points-1])
		}
		y[number] = s
	}
}

// add adds to a sum x times the factor at a place; the first product of a sum is not added
// to zero, which would lose its sign if it is zero.
func (t *transform) add(sum float32, first bool, place int, x float32) float32 {
	f := t.factors[place*widest]
	if first {
		return float32(f * x)
	}
	return multiplyAdd(f, x, sum)
}
