package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Many values are distinguished like few, and added and removed values are found
// whichever of two lists is longer.
func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, mostCompared, mostCompared + 1, 1000} {
		for _, m := range []int{0, 5, 1000} {
			var old, new distinct[int]
			var oldWant, newWant, gone, come []int
			for range n {
				oldWant = addNaively(t, &old, oldWant, rand.IntN(n+1))
			}
			for range m {
				newWant = addNaively(t, &new, newWant, rand.IntN(n+1))
			}
			reconcile(old, new, func(i int) { gone = append(gone, i) }, func(i int) { come = append(come, i) })
			wantGone := slices.DeleteFunc(slices.Clone(oldWant), func(i int) bool { return slices.Contains(newWant, i) })
			wantCome := slices.DeleteFunc(slices.Clone(newWant), func(i int) bool { return slices.Contains(oldWant, i) })
			if !slices.Equal(gone, wantGone) || !slices.Equal(come, wantCome) {
				t.Errorf("of %v and %v, %v are gone and %v have come", oldWant, newWant, gone, come)
			}
		}
	}
}

func addNaively(t *testing.T, d *distinct[int], list []int, one int) []int {
	t.Helper()
	isNew := !slices.Contains(list, one)
	if isNew {
		list = append(list, one)
	}
	if d.add(one) != isNew || !d.has(one) || !slices.Equal(d.all, list) {
		t.Fatalf("after %d: %v, and not %v", one, d.all, list)
	}
	return list
}
