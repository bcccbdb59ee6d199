package program

import (
	"flag"
	"math/rand/v2"
	"testing"
)

// Random tests print the seed of their choices; the exact time at which a program is killed
// does not depend on it:
//
//	go test ./test/endurance -run Killed -rounds 100 -seed 7
//	go test ./test/endurance -run 'Killed|Uploads' -long
var (
	long   = flag.Bool("long", false, "run the tests that take minutes too")
	seed   = flag.Uint64("seed", 0, "what random tests choose, as one before them did; 0 for anything")
	rounds = flag.Int("rounds", 0, "how often random tests are repeated; 0 for few, or with -long for many")
)

// NeedLong skips a test that takes minutes, unless it was requested.
func NeedLong(t testing.TB) {
	t.Helper()
	if !*long {
		t.Skip("takes minutes; asked for with -long")
	}
}

// Chance returns the seed of a test, and its number of rounds.
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
