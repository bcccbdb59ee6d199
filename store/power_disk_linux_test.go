package store

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// powerDisk is a disk as a power cut leaves it. It follows the system calls of a program,
// and knows which writes and which names of files were synced.
type powerDisk struct {
	folder string
	open   map[string]*openedFile // by descriptor
	names  map[string]*powerFile  // what the program sees
	synced map[string]*powerFile  // what stays
	moves  []func(map[string]*powerFile)
	calls  map[string]string // of each thread, while it is in the system
	leaves func(sync string) bool
	acks   []byte
}

type openedFile struct {
	*powerFile // nil for the folder
	at         int64
}

type powerFile struct {
	name    string
	synced  []byte
	waiting []powerWrite
}

// powerWrite is a write, or the new size of a file.
type powerWrite struct {
	at   int64
	data []byte
}

// newPowerDisk returns a disk for the folder, which is empty. leaves reports which syncs it
// ignores: "folder", or "file" and the number of the sync.
func newPowerDisk(folder string, leaves func(sync string) bool) *powerDisk {
	return &powerDisk{folder: folder, open: map[string]*openedFile{}, names: map[string]*powerFile{}, synced: map[string]*powerFile{}, calls: map[string]string{}, leaves: leaves}
}

var (
	traceLine = regexp.MustCompile(`^(\d+) +(?:<\.\.\. (\w+) resumed>)?(.*)$`)
	traceCall = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+)`)
	traceText = regexp.MustCompile(`(?:\\x[0-9a-f]{2})+`)
)

// follow takes a line of strace. A write may reach the disk from when it begins; a sync
// has an effect when it returns.
func (d *powerDisk) follow(line string) error {
	m := traceLine.FindStringSubmatch(line)
	if m == nil || strings.HasPrefix(m[3], "---") || strings.HasPrefix(m[3], "+++") {
		return nil
	}
	if begun, cut := strings.CutSuffix(m[3], " <unfinished ...>"); cut {
		d.calls[m[1]] = begun
		return nil
	}
	if m[2] != "" {
		m[3] = d.calls[m[1]] + m[3]
	}
	call := traceCall.FindStringSubmatch(m[3])
	if call == nil {
		return fmt.Errorf("what is %.300q?", line)
	}
	result, err := strconv.ParseInt(call[3], 10, 64)
	if err != nil || result < 0 {
		return err
	}
	// Paths and texts contain no separator: strace writes each byte of them as \x00.
	return d.call(call[1], strings.Split(call[2], ", "), result)
}

func unhex(text string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(traceText.FindString(text), `\x`, ""))
	if err != nil {
		panic(err)
	}
	return b
}

// inFolder returns the name of a file in the folder.
func (d *powerDisk) inFolder(path string) (string, bool) {
	p := string(unhex(path))
	return filepath.Base(p), filepath.Dir(p) == d.folder
}

func (d *powerDisk) call(name string, args []string, result int64) error {
	fd, _, _ := strings.Cut(args[0], "<")
	f := d.open[fd]
	switch name {
	case "openat":
		return d.openAt(args, strconv.FormatInt(result, 10))
	case "renameat", "renameat2", "linkat":
		from, in := d.inFolder(args[1])
		to, _ := d.inFolder(args[3])
		if in {
			keep := name == "linkat"
			d.move(func(names map[string]*powerFile) {
				names[to] = names[from]
				if !keep {
					delete(names, from)
				}
			})
		}
		return nil
	case "unlinkat":
		if name, in := d.inFolder(args[1]); in {
			d.move(func(names map[string]*powerFile) { delete(names, name) })
		}
		return nil
	}
	switch {
	case f == nil:
		return nil
	case f.powerFile == nil:
		if name == "fsync" && !d.leaves("folder") {
			d.synced, d.moves = maps.Clone(d.names), nil
		}
		return nil
	}
	return d.change(f, name, args, result)
}

func (d *powerDisk) openAt(args []string, fd string) error {
	delete(d.open, fd)
	if string(unhex(args[1])) == d.folder {
		d.open[fd] = &openedFile{}
		return nil
	}
	name, in := d.inFolder(args[1])
	if !in {
		return nil
	}
	f := d.names[name]
	if f == nil {
		f = &powerFile{name: name}
		d.move(func(names map[string]*powerFile) { names[name] = f })
	} else if strings.Contains(args[2], "O_TRUNC") {
		f.waiting = append(f.waiting, powerWrite{})
	}
	d.open[fd] = &openedFile{powerFile: f}
	return nil
}

// move changes names, which stay when their folder is synced.
func (d *powerDisk) move(change func(map[string]*powerFile)) {
	change(d.names)
	d.moves = append(d.moves, change)
}

// change does what a call does to a file.
func (d *powerDisk) change(f *openedFile, name string, args []string, result int64) error {
	number := func(i int) int64 {
		n, err := strconv.ParseInt(args[i], 10, 64)
		if err != nil {
			panic(err)
		}
		return n
	}
	switch name {
	case "lseek":
		f.at = result
	case "read":
		f.at += result
	case "write":
		if f.name == acknowledged {
			d.acks = append(d.acks, unhex(args[1])...)
			return nil
		}
		f.waiting = append(f.waiting, powerWrite{f.at, unhex(args[1])[:result]})
		f.at += result
	case "pwrite64":
		f.waiting = append(f.waiting, powerWrite{number(3), unhex(args[1])[:result]})
	case "ftruncate":
		f.waiting = append(f.waiting, powerWrite{number(1), nil})
	case "fsync", "fdatasync":
		if !d.leaves("file") {
			f.synced, f.waiting = f.apply(f.synced, f.waiting), nil
		}
	default:
		return fmt.Errorf("%s(%.200q) of %s is not known", name, args, f.name)
	}
	return nil
}

// apply returns the content after writes.
func (f *powerFile) apply(content []byte, writes []powerWrite) []byte {
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

// survives returns the writes that a power cut leaves: all, none, those up to a moment, or
// any sectors of them in any order.
func (f *powerFile) survives(random *rand.Rand) []powerWrite {
	switch n := len(f.waiting); random.IntN(5) {
	case 0:
		return nil
	case 1:
		return f.waiting
	case 2:
		return f.waiting[:random.IntN(n+1)]
	}
	var left []powerWrite
	often := random.IntN(10) + 1
	for _, w := range f.waiting {
		if w.data == nil && random.IntN(2) == 0 {
			left = append(left, w)
		}
		at := w.at
		for part := range slices.Chunk(w.data, sector) {
			if random.IntN(10) < often {
				left = append(left, powerWrite{at, part})
			}
			at += int64(len(part))
		}
	}
	random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	return left
}

// cut makes the folder that a power cut leaves.
func (d *powerDisk) cut(random *rand.Rand, folder string) error {
	names := maps.Clone(d.synced)
	for _, move := range d.moves[:random.IntN(len(d.moves)+1)] {
		move(names)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f := names[name]
		content := f.apply(bytes.Clone(f.synced), f.survives(random))
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
