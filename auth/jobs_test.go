package auth

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestJobsAreDoneBeforeTheEnd(t *testing.T) {
	var log bytes.Buffer
	j := newJobs(slog.New(slog.NewTextHandler(&log, nil)))
	done := 0
	for _, job := range []func(context.Context) error{
		func(context.Context) error { done++; return nil },
		func(context.Context) error { return errors.New("out of paper") },
		func(context.Context) error { panic("out of ink") },
		func(context.Context) error { done++; return nil },
	} {
		if !j.enqueue(job) {
			t.Error("a job is not taken")
		}
	}
	if err := j.close(context.Background()); err != nil || done != 2 {
		t.Errorf("%d done, %v", done, err)
	}
	if got := log.String(); !strings.Contains(got, "out of paper") || !strings.Contains(got, "out of ink") {
		t.Errorf("the log: %s", got)
	}
	if j.enqueue(func(context.Context) error { return nil }) {
		t.Error("a job is taken after the end")
	}
	if err := j.close(context.Background()); err != nil {
		t.Errorf("a second end: %v", err)
	}
}

func TestJobsPileUpSoFarAndNoFurther(t *testing.T) {
	j := newJobs(slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	began := make(chan struct{})
	endless := func(ctx context.Context) error { close(began); <-ctx.Done(); return nil }
	if !j.enqueue(endless) {
		t.Fatal("a job is not taken")
	}
	<-began
	for range maxJobs {
		if !j.enqueue(func(context.Context) error { return nil }) {
			t.Fatal("a job is not taken")
		}
	}
	if j.enqueue(func(context.Context) error { return nil }) {
		t.Error("one job too many is taken")
	}
	cancel()
	if err := j.close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of an endless job: %v", err)
	}
}
