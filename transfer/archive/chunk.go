package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
)

const (
	chunkBytes = 256 << 10 // approximate size of one unit of work
	maxLine    = 64 << 20  // bytes; no export writes longer lines
)

// LineError is one line that could not be imported.
type LineError struct {
	File string // as the caller named it
	Line int    // from 1
	Err  error
}

func (e *LineError) Error() string {
	return fmt.Sprintf("%s, line %d: %s", e.File, e.Line, listValues(e.Err))
}

func (e *LineError) Unwrap() error { return e.Err }

var errLongLine = fmt.Errorf("it is longer than %d MiB", maxLine>>20)

// chunk is a run of whole lines and the results for them.
type chunk[T any] struct {
	first int // number of the first line
	text  []byte
	done  []T
	err   error
	ready chan struct{} // closed when the work is done
}

// eachLine reads lines, calls work for them on several goroutines, and passes the results
// to take in the order of the lines. It skips empty lines. It returns the first error of
// the reader or of take, after all of its goroutines have ended.
func eachLine[T any](ctx context.Context, file string, r io.Reader, work func(line []byte, number int) T, take func(T) error) error {
	ctx, cancel := context.WithCancel(ctx)
	todo, order := make(chan *chunk[T]), make(chan *chunk[T], 2*runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for c := range todo {
				c.work(work)
			}
		})
	}
	all.Go(func() {
		defer close(todo)
		defer close(order)
		splitChunks(ctx, file, r, todo, order)
	})
	for c := range order {
		<-c.ready
		if err := c.hand(ctx, take); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// work works on each line of the chunk. A panic is this chunk's error.
func (c *chunk[T]) work(fn func(line []byte, number int) T) {
	defer close(c.ready)
	defer func() {
		if p := recover(); p != nil {
			c.err = fmt.Errorf("archive: panic: %v\n%s", p, debug.Stack())
		}
	}()
	number := c.first
	for line := range bytes.Lines(c.text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			c.done = append(c.done, fn(line, number))
		}
		number++
	}
}

func (c *chunk[T]) hand(ctx context.Context, take func(T) error) error {
	for _, one := range c.done {
		if err := take(one); err != nil {
			return err
		}
	}
	return errors.Join(c.err, ctx.Err())
}

// splitChunks sends the chunks of r to the workers, and in their order to the goroutine
// that takes the results. A chunk that cannot be read comes with its error.
func splitChunks[T any](ctx context.Context, file string, r io.Reader, todo, order chan<- *chunk[T]) {
	in := bufio.NewReaderSize(r, 64<<10)
	for number := 1; ; {
		c := &chunk[T]{first: number, ready: make(chan struct{})}
		lines, err := c.read(in)
		if err != nil && err != io.EOF {
			c.text, c.err = nil, &LineError{file, number + lines, err}
		}
		number += lines
		for _, to := range []chan<- *chunk[T]{todo, order} {
			select {
			case to <- c:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// read fills the chunk and returns how many lines ended in it.
func (c *chunk[T]) read(in *bufio.Reader) (lines int, err error) {
	c.text = make([]byte, 0, chunkBytes+chunkBytes/8)
	for start := 0; ; {
		part, err := in.ReadSlice('\n')
		c.text = append(c.text, part...)
		switch {
		case len(c.text)-start > maxLine:
			return lines, errLongLine
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return lines, err
		}
		start = len(c.text)
		if lines++; len(c.text) >= chunkBytes {
			return lines, nil
		}
	}
}
