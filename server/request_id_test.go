package server

import "testing"

func BenchmarkRequestID(b *testing.B) {
	s := newIDs()
	b.ReportAllocs()
	for b.Loop() {
		s.next()
	}
}

func TestWhichIDsAreTakenOver(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"a": true, "0198f3c2-77aa_B": true, "": false, "a b": false, "a\nb": false, `a"`: false, "a.b": false, "é": false,
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":  true,
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": false,
	} {
		if got := isID(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}

func TestIDsAreUnlikeEachOther(t *testing.T) {
	t.Parallel()
	one, other, seen := newIDs(), newIDs(), map[string]bool{}
	for range 100 {
		for _, id := range []string{one.next(), other.next()} {
			if seen[id] || !isID(id) {
				t.Errorf("%q", id)
			}
			seen[id] = true
		}
	}
}
