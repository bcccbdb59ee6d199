package main

import (
	"flag"
	"math/rand/v2"
	"testing"
)

// Tests that are random print the seed of what they choose; when exactly a
// program is killed is not in it:
//
//	go test . -run Killed -rounds 100 -seed 7
var (
	seedFlag   = flag.Uint64("seed", 0, "what random tests choose, as one before them did; 0 for anything")
	roundsFlag = flag.Int("rounds", 0, "how often random tests are repeated; 0 for few, or with -long for many")
)

// chance is the seed of a test, and how many rounds it is to have.
func chance(t *testing.T, few, many int) (uint64, int) {
	t.Helper()
	n, s := *roundsFlag, *seedFlag
	switch {
	case n == 0 && *long:
		n = many
	case n == 0:
		n = few
	}
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("-seed %d -rounds %d", s, n)
	return s, n
}
