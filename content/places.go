package content

import (
	"slices"
	"sort"
	"strings"

	"quire/schema"
	"quire/store"
)

// The place of a link in the list of its target, see store.Edge.Place, is a number
// from a sequence of the owner's type, times PlaceGap.

// PlaceGap is the distance between two consecutive places if nothing was inserted between
// them.
const PlaceGap = 1 << 16

const placesSuffix = " places"

// PlaceSequence names the sequence of the places in relations that a type owns.
func PlaceSequence(owner string) string { return owner + placesSuffix }

// SequenceLimit is the highest number of a sequence: clients read ids as JSON numbers,
// which are exact up to 2^53, and places are multiplied.
func SequenceLimit(sequence string) uint64 {
	if strings.HasSuffix(sequence, placesSuffix) {
		return 1 << 53 / PlaceGap
	}
	return 1 << 53
}

// spread assigns ascending places to the links of an inverse list. As many as possible keep
// theirs. The others get places between them or, if there is no space, all get new ones.
// The two versions of one owner may share a place.
func (op *operation) spread(a *schema.Attribute, list []store.Edge) {
	// The indexes of the links that have a place of their own: a published owner right after
	// its draft has none unless they differ.
	starts := make([]int, 0, len(list))
	for i := range list {
		if i > 0 && isPair(list[i-1], list[i]) {
			continue
		}
		starts = append(starts, i)
	}
	places := make([]uint64, len(starts))
	for i, at := range starts {
		places[i] = list[at].Place
	}
	if !op.fill(a, places, ascending(places)) {
		for i := range places {
			places[i] = op.nextPlace(a)
		}
	}
	for i, at := range starts {
		end := len(list)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		for ; at < end; at++ {
			list[at].Place = places[i]
		}
	}
}

// ascending marks a longest run of ascending places; 0 is no place.
func ascending(places []uint64) (keep []bool) {
	keep = make([]bool, len(places))
	before := make([]int, len(places)) // the one before in the longest run that ends here
	var ends []int                     // of the runs of each length, that with the lowest end
	for i, p := range places {
		if p == 0 {
			continue
		}
		n := sort.Search(len(ends), func(n int) bool { return places[ends[n]] >= p })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		}
		ends[n] = i
	}
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			keep[i] = true
		}
	}
	return keep
}

// fill assigns places to links that do not keep theirs. It returns false if there is no
// space for them.
func (op *operation) fill(a *schema.Attribute, places []uint64, keep []bool) bool {
	low := uint64(0)
	for i := 0; i < len(places); i++ {
		if keep[i] {
			low = places[i]
			continue
		}
		n := slices.Index(keep[i:], true)
		if n < 0 {
			for ; i < len(places); i++ {
				places[i] = op.nextPlace(a)
			}
			return true
		}
		high := places[i+n]
		step := (high - low) / uint64(n+1)
		if i == 0 { // no link was before; leave space for future ones
			step = min(step, PlaceGap)
			low = high - step*uint64(n+1)
		}
		if step == 0 {
			return false
		}
		for end := i + n; i < end; i++ {
			low += step
			places[i] = low
		}
		low = high
	}
	return true
}
