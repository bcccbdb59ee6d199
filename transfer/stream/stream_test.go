package stream

import (
	"testing"
	"time"
)

// Every moment since the stream began is restored exactly, also across restarts.
func TestEveryMomentComesBack(t *testing.T) {
	s := newSite(t)
	s.send()
	for range 60 {
		s.write()
		switch s.random.IntN(8) {
		case 0, 1:
			s.send()
		case 2:
			s.restart()
		case 3:
			check(t, s.sender.connect(t.Context()))
			check(t, s.sender.putImage(t.Context(), imageLetter))
		}
	}
	s.send()
	for _, p := range s.ledger {
		s.requireMoment(p)
	}
	last := s.ledger[len(s.ledger)-1]
	last.at = Latest
	s.requireMoment(last)
	if _, _, err := s.restored(s.ledger[0].at.Add(-time.Hour)); err == nil {
		t.Error("an hour before the beginning there was something")
	}
}
