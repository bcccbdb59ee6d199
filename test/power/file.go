package power

import (
	"bytes"
	"math/rand/v2"
	"slices"
)

// File is the content of a file on a disk that may lose its power: what was synced is
// certain, and of the writes since then the disk may have any.
type File struct {
	synced  []byte
	waiting []written
	size    int64
}

// written is a write, or the new size of a file if it has no data.
type written struct {
	at   int64
	data []byte
}

// NewFile returns a file of which the content is certain.
func NewFile(content []byte) File { return File{synced: content, size: int64(len(content))} }

// Size returns the size that the program sees.
func (f *File) Size() int64 { return f.size }

// Content returns what the program sees.
func (f *File) Content() []byte { return apply(bytes.Clone(f.synced), f.waiting) }

// Write writes data, which must not change afterwards.
func (f *File) Write(at int64, data []byte) { f.write(written{at, data}) }

// Resize cuts the file off, or adds zeroes to it.
func (f *File) Resize(size int64) { f.write(written{size, nil}) }

func (f *File) write(w written) {
	f.waiting = append(f.waiting, w)
	if end := w.at + int64(len(w.data)); w.data == nil || end > f.size {
		f.size = end
	}
}

// Sync makes everything certain.
func (f *File) Sync() { f.synced, f.waiting = apply(f.synced, f.waiting), nil }

// Cut returns what a cut of the power leaves: of what was not synced all, nothing, the part up
// to a moment, or any sectors in any order.
func (f *File) Cut(random *rand.Rand) []byte { return apply(bytes.Clone(f.synced), f.survives(random)) }

// CutInOrder is Cut of a disk that forgets the writes after a moment, and does not reorder any.
func (f *File) CutInOrder(random *rand.Rand) []byte {
	return apply(bytes.Clone(f.synced), f.waiting[:random.IntN(len(f.waiting)+1)])
}

// apply returns the content after writes.
func apply(content []byte, writes []written) []byte {
	for _, w := range writes {
		end := int(w.at) + len(w.data)
		if end > len(content) {
			content = append(content, make([]byte, end-len(content))...)
		}
		if w.data == nil {
			content = content[:w.at]
		}
		copy(content[w.at:], w.data)
	}
	return content
}

// sector is what a disk writes completely or not at all.
const sector = 512

// survives returns the writes that a cut of the power leaves.
func (f *File) survives(random *rand.Rand) []written {
	switch n := len(f.waiting); random.IntN(5) {
	case 0:
		return nil
	case 1:
		return f.waiting
	case 2:
		return f.waiting[:random.IntN(n+1)]
	}
	var left []written
	often := random.IntN(10) + 1
	for _, w := range f.waiting {
		if w.data == nil && random.IntN(2) == 0 {
			left = append(left, w)
		}
		at := w.at
		for part := range slices.Chunk(w.data, sector) {
			if random.IntN(10) < often {
				left = append(left, written{at, part})
			}
			at += int64(len(part))
		}
	}
	random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	return left
}
