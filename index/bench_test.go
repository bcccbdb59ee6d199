package index

import (
	"fmt"
	"testing"
)

func BenchmarkTextKey(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		TextKey("Saffron Willow 12345")
	}
}

// The cost of building an index of 100,000 values, few or all of them different.
func BenchmarkNewValues(b *testing.B) {
	for _, different := range []int{4, 100000} {
		pairs := make([]keyRow, 100000)
		for i := range pairs {
			pairs[i] = keyRow{TextKey(fmt.Sprintf("Value %d", i*7919%different)), Row(i)}
		}
		b.Run(fmt.Sprint(different), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newValues(Path{}, append([]keyRow{}, pairs...), nil, 100000)
			}
		})
	}
}
