package command

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Writing the line of each request separately would be a large part of the cost of a
// small read. So lines are collected for a moment and written together.
const (
	logPause = 100 * time.Millisecond // maximum time that a line waits
	logBytes = 64 << 10               // maximum number of bytes that wait
)

// logBuffer collects lines and writes them together.
type logBuffer struct {
	w io.Writer

	mu     sync.Mutex
	lines  []byte
	closed bool // each line is written at once

	waiting chan struct{} // holds a token while lines wait
	closing chan struct{}
	done    chan struct{} // closed when the goroutine has ended
}

func newLogBuffer(w io.Writer) *logBuffer {
	b := &logBuffer{w: w, waiting: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{})}
	go b.run()
	return b
}

// run writes lines that have waited long enough, until close.
func (b *logBuffer) run() {
	defer close(b.done)
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-b.closing:
			return
		case <-b.waiting:
		}
		pause.Reset(logPause)
		select {
		case <-b.closing:
			return
		case <-pause.C:
			b.flush()
		}
	}
}

// Write takes a line. If it writes the collected lines, its error is that of this
// write.
func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := len(b.lines) == 0
	b.lines = append(b.lines, line...)
	switch {
	case b.closed || len(b.lines) >= logBytes:
		return len(line), b.out()
	case !first:
		return len(line), nil // somebody has signalled
	}
	select {
	case b.waiting <- struct{}{}:
	default:
	}
	return len(line), nil
}

func (b *logBuffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.out() // there is nowhere to report that the log cannot be written
}

// out writes the lines. The caller holds mu.
func (b *logBuffer) out() error {
	if len(b.lines) == 0 {
		return nil
	}
	_, err := b.w.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}

// close writes the collected lines. Later lines are written at once.
func (b *logBuffer) close() {
	close(b.closing)
	<-b.done
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	_ = b.out()
}

// urgent is a handler that writes warnings and errors at once, after all lines before
// them.
type urgent struct {
	slog.Handler
	buffer *logBuffer
}

func (h urgent) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		h.buffer.flush()
	}
	return err
}

func (h urgent) WithAttrs(attributes []slog.Attr) slog.Handler {
	return urgent{h.Handler.WithAttrs(attributes), h.buffer}
}

func (h urgent) WithGroup(name string) slog.Handler {
	return urgent{h.Handler.WithGroup(name), h.buffer}
}
