package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A large file is replaced completely or not at all, and nothing else is left.
func TestReplaceLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := errors.New("failed")
	big := bytes.Repeat([]byte("0123456789abcdef"), (largeStep+1000)/16)
	want := []byte(nil)
	for _, one := range []struct {
		name  string
		text  []byte
		fails error
	}{{"new", []byte("one"), nil}, {"longer", big, nil}, {"failing", []byte("two"), failed}, {"shorter", []byte("three"), nil}, {"cancelled", []byte("four"), context.Canceled}} {
		if one.fails == context.Canceled {
			cancel()
		}
		err := ReplaceLarge(ctx, path, func(w io.Writer) error {
			for rest := one.text; len(rest) > 0; {
				n, err := w.Write(rest[:min(len(rest), 1<<20)])
				if err != nil {
					return err
				}
				rest = rest[n:]
			}
			if one.fails == failed {
				return failed
			}
			return nil
		})
		if !errors.Is(err, one.fails) {
			t.Errorf("%s: %v", one.name, err)
		}
		if one.fails == nil {
			want = one.text
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", one.name, len(got), err)
		}
		if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
			t.Errorf("%s: left are %v", one.name, files)
		}
	}
}
