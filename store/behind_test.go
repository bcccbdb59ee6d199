package store

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What is written in pieces of any size, and to several places, is there in the end.
func TestWritingBehind(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	noError(t, err)
	defer f.Close()
	r := newRand(t)
	w := behind{file: f}
	var want []byte
	for i := range 200 {
		b := bytes.Repeat([]byte{byte(i + 1)}, r.IntN(3*gatheredBytes/(1+r.IntN(100))))
		w.write(b)
		want = append(want, b...)
		if i%50 == 49 {
			gap := make([]byte, r.IntN(1000))
			want = append(want, gap...)
			w.goOn(int64(len(want)))
		}
	}
	noError(t, w.flush())
	want = slices.Clip(bytes.TrimRight(want, "\x00"))
	if got := readFile(t, f.Name()); !bytes.Equal(got, want) {
		t.Errorf("%d bytes are not the %d that were written", len(got), len(want))
	}
}

// The first error is reported, and no memory is held for what cannot be written.
func TestWritingBehindFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	writeFile(t, path, []byte("as it is"))
	f, err := os.Open(path)
	noError(t, err)
	defer f.Close()
	w := behind{file: f}
	for range 10 {
		w.write(make([]byte, gatheredBytes))
	}
	if err := w.flush(); err == nil || cap(w.gathered)+cap(w.spare) > 0 {
		t.Errorf("the error is %v, and %d bytes are held", err, cap(w.gathered)+cap(w.spare))
	}
	if got := string(readFile(t, path)); got != "as it is" {
		t.Errorf("the file has become %q", got)
	}
}
