package program

import (
	"flag"
	"math/rand/v2"
	"testing"
)

// Tests that are random print the seed of what they choose; when exactly a
// program is killed is not in it:
//
//	go test ./test/endurance -run Killed -rounds 100 -seed 7
//	go test ./test/endurance -run 'Killed|Uploads' -long
var (
	long   = flag.Bool("long", false, "run the tests that take minutes too")
	seed   = flag.Uint64("seed", 0, "what random tests choose, as one before them did; 0 for anything")
	rounds = flag.Int("rounds", 0, "how often random tests are repeated; 0 for few, or with -long for many")
)

// NeedLong skips a test that takes minutes, unless it was asked for.
func NeedLong(t testing.TB) {
	t.Helper()
	if !*long {
		t.Skip("takes minutes; asked for with -long")
	}
}

// Chance is the seed of a test, and how many rounds it is to have.
func Chance(t testing.TB, few, many int) (uint64, int) {
	t.Helper()
	n, s := *rounds, *seed
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
