package stream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.Now().Add(3 * time.Minute); !holds(); {
		if time.Now().After(limit) {
			t.Fatalf("after three minutes, %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// A sender that runs sends what is written, and the rest when it ends. Its status says how
// far it is, and what is wrong.
func TestASenderThatRuns(t *testing.T) {
	s, f := newFaulty(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { s.sender.Run(ctx); close(ended) }()
	waitFor(t, "there is no image", func() bool { return s.sender.Status().Image != nil })
	waitFor(t, "the millisecond of the image goes on", func() bool { return time.Now().UnixMilli() > s.sender.Status().Image.UnixMilli() })
	s.write()
	waitFor(t, "a commit was not sent", func() bool {
		now := s.sender.Status()
		return now.SentTo != nil && now.SentTo.UnixMilli() > now.Image.UnixMilli() && now.Queued == 0
	})
	if now := s.sender.Status(); now.Problem != "" || now.Behind != 0 || now.Ended {
		t.Errorf("%+v", now)
	}
	s.write()
	stop()
	<-ended
	check(t, s.sender.Close())
	s.requireLedger()
	f.down = true
	s.begin()
	ctx, stop = context.WithCancel(t.Context())
	ended = make(chan struct{})
	go func() { s.sender.Run(ctx); close(ended) }()
	s.write()
	waitFor(t, "the status has no problem", func() bool { return s.sender.Status().Problem != "" })
	if now := s.sender.Status(); now.Queued == 0 || now.Behind == 0 || now.Since == nil || now.Ended {
		t.Errorf("%+v", now)
	}
	stop()
	<-ended
}

// A sender that finds another's segment ends, records nothing more, and writes go on.
func TestASenderThatFindsAnother(t *testing.T) {
	s := newSite(t)
	s.send()
	s.write()
	s.send()
	at := s.target.(*folder).path
	text, err := os.ReadFile(filepath.Join(at, entry{letter: eachLetter, from: 1}.name("1a2b")))
	check(t, err)
	check(t, os.WriteFile(filepath.Join(at, entry{letter: eachLetter, from: 2}.name("1a2b")), text, 0o600))
	s.write()
	s.sender.Run(t.Context())
	now := s.sender.Status()
	if want := (&OtherWriterError{s.target.String(), entry{letter: eachLetter, from: 2}.name("1a2b")}).Error(); now.Problem != want || !now.Ended {
		t.Errorf("%+v", now)
	}
	queued := now.Queued
	s.write()
	if now := s.sender.Status(); now.Queued != queued {
		t.Errorf("it records for nobody: %+v", now)
	}
}

// Without an image there is nothing to restore, and that is an error.
func TestNothingToRestore(t *testing.T) {
	s := newSite(t)
	if _, _, err := s.restored(Latest); !errors.As(err, new(*NothingError)) {
		t.Errorf("%v", err)
	}
	if _, err := s.catalog().CheckIn(t.Context(), t.TempDir(), namesIn); !errors.As(err, new(*NothingError)) {
		t.Errorf("%v", err)
	}
	s.send()
	if ids, err := IDs(t.Context(), s.target); err != nil || len(ids) != 1 || ids[0] != "1a2b" {
		t.Errorf("%v, %v", ids, err)
	}
	if _, _, err := s.restored(time.UnixMilli(0)); !errors.As(err, new(*NothingError)) {
		t.Errorf("%v", err)
	}
}
