// Package detmath provides elementary functions that return the same bits on every processor. Code
// whose results must depend on nothing but a run's seed uses these functions instead of package
// math.
//
// The results of package math depend on the processor for two reasons. First, some of its functions
// are written in assembly for some processors. Second, the compiler may fuse a product and a sum
// into one instruction, which rounds once instead of twice. Package detmath contains only Go code,
// and it converts each product to its own type before adding to it: float64(x*y) + z. According to
// the language specification, this conversion rounds the product.
//
// Some functions of package math return the same bits on every processor, so all code may call
// them: the functions that the IEEE standard defines exactly (Sqrt, Floor, RoundToEven, Abs, FMA)
// and the functions that only move bits (Frexp, Ldexp, Modf).
//
// The tests of this package check the whole module. For processors with fused instructions, they
// compile all packages except the commands, and fail if the compiler has used such an instruction.
package detmath

import "math"

const (
	// ln2Hi is ln 2, rounded so that its last 21 bits are zero. So its product with a small integer
	// is exact.
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10 // ln 2 - ln2Hi
)

// Exp returns e to the power of x, with an error of at most 1 ulp (unit in the last place). It
// returns +Inf for x above 709.78 and 0 for x below -745.13.
//
// The method is from FreeBSD's e_exp.c. Exp writes x as k·ln 2 + r with an integer k and |r| ≤ ln 2
// / 2. Then exp(x) is 2ᵏ·exp(r), and exp(r) is computed as 1 + 2r/(2-c), where c is r minus a
// polynomial in r².
func Exp(x float64) float64 {
	const (
		overflow  = 7.09782712893383973096e+02
		underflow = -7.45133219101941108420e+02

		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	switch {
	case x != x:
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	}
	k := math.RoundToEven(times(x, math.Log2E))
	hi, lo := x-times(k, ln2Hi), times(k, ln2Lo)
	r := hi - lo
	t := times(r, r)
	c := r - times(t, p1+times(t, p2+times(t, p3+times(t, p4+times(t, p5)))))
	y := 1 - ((lo - times(r, c)/(2-c)) - hi)
	if e := int(k) + 1023; e > 0 && e < 2047 {
		return y * math.Float64frombits(uint64(e)<<52) // times 2ᵏ
	}
	return math.Ldexp(y, int(k))
}

// times returns x·y, rounded so that the compiler cannot fuse the product with a sum.
func times(x, y float64) float64 { return float64(x * y) }

// Log returns the natural logarithm of x, with an error of at most 1 ulp. It returns -Inf for 0,
// and NaN for negative numbers.
//
// The method is from FreeBSD's e_log.c. Log writes x as 2ᵏ·(1+f) with an integer k and √½ ≤ 1+f <
// √2. Then log(x) is k·ln 2 + log(1+f), and log(1+f) is computed as f - f²/2 + s·(f²/2+R), where s
// = f/(2+f) and R is a polynomial in s². Log sums the even and the odd powers of s² in R
// separately.
func Log(x float64) float64 {
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860510658591e-01
	)
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	f, k := m-1, float64(e)
	s := f / (2 + f)
	s2 := times(s, s)
	s4 := times(s2, s2)
	odd := times(s2, l1+times(s4, l3+times(s4, l5+times(s4, l7))))
	even := times(s4, l2+times(s4, l4+times(s4, l6)))
	half := times(0.5*f, f)
	return times(k, ln2Hi) - ((half - (times(s, half+(odd+even)) + times(k, ln2Lo))) - f)
}

// Log1p returns log(1+x), with an error of at most 2 ulp, even if 1+x rounds to 1.
//
// The method is Kahan's. Let u be 1+x, rounded. Then log(1+x)/x is almost equal to log(u)/(u-1).
func Log1p(x float64) float64 {
	u := 1 + x
	switch {
	case u == 1:
		return x
	case x > math.MaxFloat64 || u <= 0 || x != x:
		return Log(u)
	}
	return Log(u) * (x / (u - 1))
}

// Pow returns x to the power of y for x ≥ 0, with an error of at most about |y| ulp. For x < 0 it
// returns NaN, except that Pow(x, 0) is always 1.
//
// For the integer part of y, Pow multiplies powers of x that it gets by repeated squaring, like
// math.Pow. For the rest of y, it uses Exp and Log.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case !(x >= 0) || y != y:
		return math.NaN()
	case y == 1:
		return x
	case x == 0 || x > math.MaxFloat64 || math.Abs(y) >= 1<<62:
		if (x > 1) == (y > 0) {
			return math.Inf(1)
		}
		return 0
	}
	whole, rest := math.Modf(math.Abs(y))
	if rest > 0.5 {
		whole, rest = whole+1, rest-1
	}
	power, exponent := 1.0, 0 // the result is power·2^exponent
	if rest != 0 {
		power = Exp(rest * Log(x))
	}
	square, e := math.Frexp(x)
	for n := int64(whole); n != 0; n >>= 1 {
		if e < -1<<12 || e > 1<<12 { // out of range, whatever the remaining factors are
			exponent += e
			break
		}
		if n&1 == 1 {
			power, exponent = power*square, exponent+e
		}
		square, e = times(square, square), 2*e
		if square < 0.5 {
			square, e = 2*square, e-1
		}
	}
	if y < 0 {
		power, exponent = 1/power, -exponent
	}
	return math.Ldexp(power, exponent)
}

// Tanh returns the hyperbolic tangent of x, with an error of at most 2 ulp.
//
// The method is from Cephes' tanh.c. Tanh computes 1 - 2/(exp(2|x|)+1) with the sign of x. This
// formula loses digits near zero, so there Tanh computes x + x³·P(x²)/Q(x²), where P and Q are
// polynomials.
func Tanh(x float64) float64 {
	const (
		p0, p1, p2 = -9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3
		q0, q1, q2 = 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3
	)
	switch size := math.Abs(x); {
	case size > 22: // the result rounds to 1
		return math.Copysign(1, x)
	case size >= 0.625:
		return math.Copysign(1-2/(Exp(2*size)+1), x)
	case x == 0:
		return x
	}
	s := times(x, x)
	p := times(times(p0, s)+p1, s) + p2
	q := times(times(s+q0, s)+q1, s) + q2
	return x + times(times(x, s), p)/q
}

// Cos returns the cosine of x radians, with an error below 2.3e-16. It returns NaN for |x| > 2²⁰,
// because no caller needs such arguments.
//
// The method is from Cephes' sin.c. Cos subtracts a multiple of π/2 from x, in three steps so that
// no digits are lost. Then it computes the sine or the cosine of the remainder with a polynomial.
func Cos(x float64) float64 {
	const part1, part2, part3 = 2 * 7.85398125648498535156e-1, 2 * 3.77489470793079817668e-8, 2 * 2.69515142907905952645e-15
	if x = math.Abs(x); !(x <= 1<<20) {
		return math.NaN()
	}
	k := math.RoundToEven(x * (2 / math.Pi))
	z := ((x - times(k, part1)) - times(k, part2)) - times(k, part3)
	switch int(k) % 4 {
	case 0:
		return cosine(z)
	case 1:
		return -sine(z)
	case 2:
		return -cosine(z)
	}
	return sine(z)
}

// sine returns the sine of z for |z| up to about π/4.
func sine(z float64) float64 {
	t := times(z, z)
	p := polynomial(t, 1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
		-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1)
	return z + times(times(z, t), p)
}

// cosine returns the cosine of z for |z| up to about π/4.
func cosine(z float64) float64 {
	t := times(z, z)
	p := polynomial(t, -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2)
	return (1 - times(0.5, t)) + times(times(t, t), p)
}

// polynomial computes a polynomial at x. The first coefficient belongs to the highest power.
func polynomial(x float64, coefficients ...float64) (p float64) {
	for _, c := range coefficients {
		p = times(p, x) + c
	}
	return p
}
