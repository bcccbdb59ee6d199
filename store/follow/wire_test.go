package follow

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"quire/store"
)

var frames = []byte(nil)

func init() {
	frames = AppendState(frames, State{Lineage: 1, Revision: 2, Uptime: 3, Epoch: 4, Schema: "abc"})
	frames = AppendBatch(frames, sampleBatch)
}

var sampleBatch = store.Batch{Position: 7, Revision: 7, Lineage: 9, Time: 11, Ops: []store.Op{
	{Path: []string{"content", "api::a.a", "-"}, Key: []byte("k"), Value: []byte("value")},
	{Path: []string{"records", "b"}, Key: []byte{0, 255}, Value: []byte{}},
	{Path: []string{"changed"}, Key: []byte("gone"), Value: nil},
}}

// A frame arrives as it was sent: an empty value is no deletion.
func TestFramesArrive(t *testing.T) {
	r := bufio.NewReader(bytes.NewReader(frames))
	_, state, err := readFrame(r)
	if err != nil || state == nil || state.Schema != "abc" || state.Epoch != 4 {
		t.Errorf("%+v, %v", state, err)
	}
	batch, _, err := readFrame(r)
	if err != nil || batch == nil || !reflect.DeepEqual(*batch, sampleBatch) {
		t.Errorf("%+v, %v", batch, err)
	}
}

// No bit of a frame can change on the way.
func TestDamagedFrames(t *testing.T) {
	for at := range len(frames) * 8 {
		damaged := bytes.Clone(frames)
		damaged[at/8] ^= 1 << (at % 8)
		r := bufio.NewReader(bytes.NewReader(damaged))
		_, _, first := readFrame(r)
		_, _, second := readFrame(r)
		if first == nil && second == nil {
			t.Fatalf("the flipped bit %d is not noticed", at)
		}
	}
}

// Whatever a leader sends, reading it ends without a panic, and what is read is written as
// the same bytes again.
func FuzzReadFrame(f *testing.F) {
	f.Add(frames)
	f.Add(frames[:len(frames)-5])
	f.Fuzz(func(t *testing.T, text []byte) {
		batch, state, err := readFrame(bufio.NewReader(bytes.NewReader(text)))
		var again []byte
		switch {
		case err != nil:
			return
		case batch != nil:
			again = AppendBatch(nil, *batch)
		default:
			again = AppendState(nil, *state)
		}
		second, other, err := readFrame(bufio.NewReader(bytes.NewReader(again)))
		if err != nil || !reflect.DeepEqual(second, batch) || !reflect.DeepEqual(other, state) {
			t.Errorf("%q is read as %q, %v", text, again, err)
		}
	})
}

// An image arrives with all of its bytes, or not at all.
func TestImages(t *testing.T) {
	file := bytes.Repeat([]byte("page "), 10_000)
	var sent bytes.Buffer
	if err := WriteImage(&sent, bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "image")
	if err := readImage(path, int64(len(file)), bytes.NewReader(sent.Bytes())); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.Equal(text, file) {
		t.Errorf("%d bytes arrive, %v", len(text), err)
	}
	for cut := range sent.Len() {
		if err := readImage(filepath.Join(t.TempDir(), "cut"), int64(len(file)), bytes.NewReader(sent.Bytes()[:cut])); err == nil {
			t.Fatalf("an image that ends after %d of %d bytes is taken", cut, sent.Len())
		}
	}
	if err := readImage(filepath.Join(t.TempDir(), "longer"), int64(len(file)-1), bytes.NewReader(sent.Bytes())); err == nil {
		t.Error("an image that is longer than it says is taken")
	}
}
