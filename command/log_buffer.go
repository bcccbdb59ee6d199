package command

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// A line for each request, written one by one, would be a good part of what a
// small read costs. So lines wait for each other, for a moment.
const (
	logPause = 100 * time.Millisecond // a line waits no longer
	logBytes = 64 << 10               // nor more of them
)

// logBuffer gathers lines and writes them together.
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

// run writes what has waited for long enough, until close.
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

// Write takes a line. Its error is that of writing others, if it is the one who
// has to write them.
func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line...)
	if b.closed || len(b.lines) >= logBytes {
		return len(line), b.out()
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
	_ = b.out() // nobody could read that the log cannot be written
}

// out writes the lines. Its caller holds mu.
func (b *logBuffer) out() error {
	if len(b.lines) == 0 {
		return nil
	}
	_, err := b.w.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}

// close writes what waits. Lines that come later are written as they come.
func (b *logBuffer) close() {
	close(b.closing)
	<-b.done
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	_ = b.out()
}

// urgent is a handler that has warnings and errors written at once, with all
// that came before them.
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
