package stream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"quire/media"
	"quire/store"
)

// copied is a site with a copy of the data, as a follower has it, that continues the stream.
func (s *site) copied(id string) *site {
	s.t.Helper()
	other := &site{t: s.t, folder: s.t.TempDir(), target: s.target, key: s.key, log: s.log, random: s.random, ids: 1000, id: id}
	check(s.t, s.db.CopyTo(filepath.Join(other.folder, dataName)))
	check(s.t, os.CopyFS(filepath.Join(other.folder, "uploads"), os.DirFS(filepath.Join(s.folder, "uploads"))))
	last, err := s.db.LastCommit()
	check(s.t, err)
	other.continues = &Branch{Stream: s.id, Has: last}
	return other
}

func (s *site) traced(id string) *Catalog {
	s.t.Helper()
	c, err := Load(s.t.Context(), s.target, id)
	check(s.t, err)
	c.Key = s.key
	check(s.t, c.Trace(s.t.Context(), func(string) (*Key, error) { return s.key, nil }))
	return c
}

// A server that takes the place of another one ends the stream of that one, which sends
// nothing more and learns who the leader is. The stream of the new one continues the other's:
// every moment is restored, and what only the former leader has is in none of them.
func TestAStreamIsEndedAndContinued(t *testing.T) {
	for _, passphrase := range []string{"", "a passphrase"} {
		s := newKeyedSite(t, passphrase)
		for range 3 {
			s.write()
			s.send()
		}
		other := s.copied("3c4d")
		s.write() // and sends that, so that the target has it, and the follower does not
		s.send()
		end := Takeover{Epoch: 2, Leader: "http://new", Stream: other.id, Has: other.continues.Has}
		last, err := s.catalog().Finish(t.Context(), t.TempDir(), end)
		check(t, err)
		if want := s.ledger[3].commit; last != want {
			t.Errorf("the stream ends with %v, want %v", last, want)
		}
		if _, err := s.catalog().Finish(t.Context(), t.TempDir(), end); err != nil {
			t.Errorf("ended again: %v", err)
		}
		ended := new(EndedError)
		if _, err := s.catalog().Finish(t.Context(), t.TempDir(), Takeover{Epoch: 2, Stream: "5e6f"}); !errors.As(err, &ended) || ended.End != end {
			t.Errorf("ended by another one: %v", err)
		}
		s.write()
		if err := s.trySend(); !errors.As(err, &ended) || ended.End != end {
			t.Errorf("the former leader sends: %v", err)
		}
		s.restart()
		if got, err := s.sender.Ended(t.Context()); err != nil || got == nil || *got != end {
			t.Errorf("after a start: %v, %v", got, err)
		}
		if err := s.sender.connect(t.Context()); !errors.As(err, &ended) {
			t.Errorf("after a start: %v", err)
		}
		check(t, s.sender.Close())
		check(t, s.db.Close())
		check(t, os.RemoveAll(filepath.Join(s.folder, "stream"))) // does not help
		s.open()
		if got, err := s.sender.Ended(t.Context()); err != nil || got == nil {
			t.Errorf("without a state: %v, %v", got, err)
		}
		other.open()
		other.send()
		for range 3 {
			other.write()
			other.send()
		}
		other.requireHistory(s.ledger[:3], s.ledger[3])
		other.db.Close()
	}
}

// requireHistory demands the moments of a former leader and those of this site, and that a
// moment which only the former leader has is the last one before it.
func (s *site) requireHistory(former []page, lost page) {
	s.t.Helper()
	t := s.t
	for _, p := range append(former, s.ledger...) {
		s.requireMoment(p)
	}
	got, m, err := s.restored(lost.at)
	check(t, err)
	if want := former[len(former)-1]; got.commit != want.commit || got.content != want.content || m.Gap == nil {
		t.Errorf("where only the former leader has something there is %v, want %v; gap %v", got.commit, want.commit, m.Gap)
	}
	ranges, err := s.traced(s.id).Ranges(t.Context())
	if err != nil || len(ranges) != 2 || ranges[0].Of != "1a2b" || ranges[1].Of != s.id || !ranges[0].To.Before(lost.at) {
		t.Errorf("%+v, %v", ranges, err)
	}
	if newest, err := Newest(t.Context(), s.target, []string{"1a2b", s.id}); err != nil || newest != s.id {
		t.Errorf("the newest is %q, %v", newest, err)
	}
	c := s.traced(s.id)
	check(t, c.ThinFormers(t.Context(), t.TempDir(), time.Now().Add(2*time.Hour)))
	for _, p := range former {
		s.requireMoment(p)
	}
	check(t, s.traced(s.id).ThinFormers(t.Context(), t.TempDir(), time.Now().Add(400*24*time.Hour)))
	if ids, err := IDs(t.Context(), s.target); err != nil || len(ids) != 1 || ids[0] != s.id {
		t.Errorf("after a year there are %v, %v", ids, err)
	}
	s.requireMoment(s.ledger[len(s.ledger)-1])
}

// before does something before the first object is put.
type before struct {
	media.Storage
	do func()
}

func (b *before) Put(ctx context.Context, files ...media.LocalFile) error {
	if do := b.do; do != nil {
		b.do = nil
		do()
	}
	return b.Storage.Put(ctx, files...)
}

// A segment that arrives just before the end stays, and the end comes after it.
func TestAnEndAfterASegmentThatWasFaster(t *testing.T) {
	s := newSite(t)
	s.send()
	s.write()
	c := s.catalog()
	c.Target = &before{c.Target, s.send}
	last, err := c.Finish(t.Context(), t.TempDir(), Takeover{Epoch: 2, Stream: "3c4d"})
	check(t, err)
	if last != s.ledger[0].commit {
		t.Errorf("the stream ends with %v, want %v", last, s.ledger[0].commit)
	}
	s.write()
	if err := s.trySend(); !errors.As(err, new(*EndedError)) {
		t.Errorf("the former leader sends: %v", err)
	}
	s.requireMoment(s.ledger[0])
	var nothing *NothingError
	c.ID = "5e6f"
	if _, err := c.Finish(t.Context(), t.TempDir(), Takeover{}); !errors.As(err, &nothing) {
		t.Errorf("a stream that is not there is ended: %v", err)
	}
}

// A server that was killed after its last segment arrived, and before it noted that, finds the
// end behind it.
func TestAnEndAfterASegmentThatWasNotNoted(t *testing.T) {
	s := newSite(t)
	s.send()
	s.write()
	s.send()
	state, err := os.ReadFile(filepath.Join(s.folder, "stream", "state.json"))
	check(t, err)
	_, err = s.catalog().Finish(t.Context(), t.TempDir(), Takeover{Epoch: 2, Stream: "3c4d"})
	check(t, err)
	s.write()
	check(t, s.sender.Close())
	check(t, os.WriteFile(filepath.Join(s.folder, "stream", "state.json"), state, 0o600))
	s.begin()
	if s.sender.state.Number != 0 || s.sender.state.Outgoing == nil {
		t.Fatalf("the state knows: %+v", s.sender.state)
	}
	if end, err := s.sender.Ended(t.Context()); err != nil || end == nil {
		t.Errorf("%v, %v", end, err)
	}
}

// A server whose stream was ended, and that runs, learns it although it writes nothing.
func TestAnIdleSenderLearnsThatItsStreamWasEnded(t *testing.T) {
	s := newSite(t)
	s.send()
	_, err := s.catalog().Finish(t.Context(), t.TempDir(), Takeover{Epoch: 2, Stream: "3c4d", Has: store.CommitID{Lineage: 1, Revision: 1}})
	check(t, err)
	replaced := make(chan Takeover, 1)
	s.sender.Replaced = func(e Takeover) { replaced <- e }
	s.sender.lookedAt = time.Time{}
	s.sender.Run(t.Context())
	if e := <-replaced; e.Stream != "3c4d" {
		t.Errorf("%+v", e)
	}
	if now := s.sender.Status(); !now.Ended || now.Problem == "" {
		t.Errorf("%+v", now)
	}
}
