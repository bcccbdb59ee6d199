package store

import (
	"context"
	"errors"
	"io"
	"os"
)

// largeStep is how many bytes of a large file are on the disk before the next ones are
// written, so that commits do not wait for all of it.
const largeStep = 32 << 20

// ReplaceLarge puts what write writes in the place of a file next to the data file,
// completely or not at all. The file must be one that can be made again: it is given up if ctx
// is done, or if the disk would have less left than content needs. What an interruption leaves
// has the name of the file and "~".
func ReplaceLarge(ctx context.Context, path string, write func(io.Writer) error) error {
	return replaceWith(path, 0o600, func(f *os.File) error {
		out := &largeFile{ctx: ctx, file: f}
		if err := write(out); err != nil {
			return err
		}
		return f.Truncate(out.size)
	})
}

// largeFile writes a file whose space has been allocated.
type largeFile struct {
	ctx             context.Context
	file            *os.File
	size, allocated int64
}

func (l *largeFile) Write(b []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	if end := l.size + int64(len(b)); end > l.allocated {
		step := max(largeStep, end-l.allocated)
		if err := errors.Join(l.file.Sync(), reserve(l.file, l.allocated, step, annexSpare)); err != nil {
			return 0, err
		}
		l.allocated += step
	}
	n, err := l.file.Write(b)
	l.size += int64(n)
	return n, err
}
