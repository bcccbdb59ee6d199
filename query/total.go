package query

import (
	"bytes"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"quire/index"
	"quire/schema"
)

// Sums are exact. Integers are added as integers, floats and decimals as the decimal
// numbers in responses, and only the result is rounded to a number of JSON. So a sum does
// not depend on the order of its values.

// amount is a value to add: a whole number of units of 10^-scale, or of restScale if it
// would not be whole or would be too large.
type amount struct {
	high, low uint64 // in two's complement
	rest      *big.Int
}

// unitScale is the number of decimals of the units of floats and decimals, unit the number
// of units in one; integers have no decimals. restScale includes the last digit of the
// smallest float.
const (
	unitScale = 18
	unit      = 1e18
	restScale = 342
)

// mostDigits is the maximum number of digits of an amount, so that the sum for the maximum
// number of rows fits in 128 bits.
const mostDigits = 28

// isWhole reports whether an attribute has integers.
func isWhole(a *schema.Attribute) bool {
	return a.Kind == schema.Integer || a.Kind == schema.BigInteger
}

// amountOf returns the number of an index key.
func amountOf(a *schema.Attribute, key string) amount {
	if isWhole(a) {
		n := index.KeyInt(key)
		return amount{high: uint64(n >> 63), low: uint64(n)}
	}
	digits, exponent := decimalOf(index.KeyFloat(key))
	negative := digits < 0
	size := uint64(max(digits, -digits))
	width := len(strconv.FormatUint(size, 10))
	shift := exponent + unitScale
	if shift < 0 || width+shift > mostDigits {
		rest := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent+restScale)), nil)
		return amount{rest: rest.Mul(rest, big.NewInt(digits))}
	}
	high, low := bits.Mul64(size, powerOf10(min(shift, 9)))
	if shift > 9 {
		high, low = times(high, low, powerOf10(shift-9))
	}
	if negative {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	return amount{high: high, low: low}
}

// decimalOf returns the shortest digits that are read back as the number, and their
// exponent.
func decimalOf(f float64) (digits int64, exponent int) {
	var space [32]byte
	text := strconv.AppendFloat(space[:0], f, 'e', -1, 64)
	at := bytes.IndexByte(text, 'e')
	exponent, _ = strconv.Atoi(string(text[at+1:]))
	mantissa := text[:at]
	if point := bytes.IndexByte(mantissa, '.'); point >= 0 {
		exponent -= len(mantissa) - point - 1
		mantissa = append(mantissa[:point], mantissa[point+1:]...)
	}
	digits, _ = strconv.ParseInt(string(mantissa), 10, 64)
	return digits, exponent
}

func powerOf10(n int) uint64 {
	power := uint64(1)
	for range n {
		power *= 10
	}
	return power
}

// times multiplies 128 bits in two's complement.
func times(high, low, n uint64) (uint64, uint64) {
	carry, product := bits.Mul64(low, n)
	return high*n + carry, product
}

// total is a sum, and the number of its values.
type total struct {
	n         int
	high, low uint64
	rest      *big.Int
}

// Memory for totals, in bytes.
const (
	totalBytes = 40
	restBytes  = 512
)

// add adds an amount n times. It reports whether that took restBytes more.
func (t *total) add(a amount, n int) (more bool) {
	t.n += n
	if a.rest != nil {
		if more = t.rest == nil; more {
			t.rest = new(big.Int)
		}
		rest := a.rest
		if n > 1 {
			rest = new(big.Int).Mul(rest, big.NewInt(int64(n)))
		}
		t.rest.Add(t.rest, rest)
		return more
	}
	high, low := times(a.high, a.low, uint64(n))
	var carry uint64
	t.low, carry = bits.Add64(t.low, low, 0)
	t.high, _ = bits.Add64(t.high, high, carry)
	return false
}

// exact returns the sum of values of an attribute.
func (t *total) exact(a *schema.Attribute) *big.Rat {
	units := new(big.Int).SetInt64(int64(t.high))
	units.Lsh(units, 64).Add(units, new(big.Int).SetUint64(t.low))
	sum := new(big.Rat)
	if isWhole(a) {
		return sum.SetInt(units)
	}
	sum.SetFrac(units, big.NewInt(unit))
	if t.rest != nil {
		one := new(big.Int).Exp(big.NewInt(10), big.NewInt(restScale), nil)
		sum.Add(sum, new(big.Rat).SetFrac(t.rest, one))
	}
	return sum
}

// figure returns the sum, or the average.
func (t *total) figure(a *schema.Attribute, f function) *big.Rat {
	sum := t.exact(a)
	if f == avgOf {
		sum.Quo(sum, new(big.Rat).SetInt64(int64(t.n)))
	}
	return sum
}

// averageDecimals is the maximum number of decimals of the average of bigintegers.
const averageDecimals = 16

// appendFigure appends a sum or an average in the form of values of the attribute in
// responses: of bigintegers as text, of integers with all their digits, of others as the
// nearest number. It returns false if no number is that large.
func appendFigure(dst []byte, a *schema.Attribute, f function, figure *big.Rat) ([]byte, bool) {
	switch {
	case a.Kind == schema.BigInteger && f == avgOf:
		text := []byte(figure.FloatString(averageDecimals))
		text = bytes.TrimRight(bytes.TrimRight(text, "0"), ".")
		return append(append(append(dst, '"'), text...), '"'), true
	case a.Kind == schema.BigInteger:
		return append(figure.Num().Append(append(dst, '"'), 10), '"'), true
	case a.Kind == schema.Integer && f == sumOf:
		return figure.Num().Append(dst, 10), true
	}
	number, _ := figure.Float64()
	if math.IsInf(number, 0) {
		return dst, false
	}
	return index.AppendNumber(dst, number), true
}
