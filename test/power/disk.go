package power

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Notes is the name of a file in the folder that no cut changes: in it the program notes what
// it begins and what is done.
const Notes = "acknowledged"

// Disk is a folder as a power cut leaves it, and the folders in it. It follows the system
// calls of one process, which begins with an empty folder.
type Disk struct {
	folder string
	root   *node
	open   map[string]*opened // by descriptor
	moves  []*move            // those that are not kept for certain
	calls  map[string]string  // of each thread, while it is in the system
	leaves func(sync string) bool
	notes  []byte
}

// node is a file or a folder.
type node struct {
	name  string
	names map[string]*node // of a folder, as the program sees it; nil for a file
	kept  map[string]*node // as the disk has them
	File
}

type opened struct {
	*node
	at    int64
	atEnd bool // every write goes to the end
}

// move is a change of names that the disk has completely or not at all: a new name, one that is
// gone, or one that was moved, perhaps to another folder. It is certain as soon as one of its
// folders has been synced. Of the others a cut leaves the first ones.
type move struct {
	edits   []renaming
	certain bool
}

type renaming struct {
	in   *node
	name string
	was  *node // that loses the name
	is   *node // that gets it
}

// NewDisk returns a disk for the folder. leaves reports which syncs it ignores: "folder" or
// "file".
func NewDisk(folder string, leaves func(sync string) bool) *Disk {
	return &Disk{folder: folder, root: newFolder(""), open: map[string]*opened{}, calls: map[string]string{}, leaves: leaves}
}

func newFolder(name string) *node {
	return &node{name: name, names: map[string]*node{}, kept: map[string]*node{}}
}

// Follow takes a line of strace. A write may reach the disk from when it begins; a sync
// has an effect when it returns.
func (d *Disk) Follow(line string) error {
	thread, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimLeft(rest, " ")
	if strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "+++") {
		return nil
	}
	if begun, cut := strings.CutSuffix(rest, " <unfinished ...>"); cut {
		d.calls[thread] = begun
		return nil
	}
	if strings.HasPrefix(rest, "<... ") {
		_, end, _ := strings.Cut(rest, " resumed>")
		rest = d.calls[thread] + end
	}
	name, rest, found := strings.Cut(rest, "(")
	end := strings.LastIndex(rest, "= ")
	if !found || end < 0 {
		return fmt.Errorf("what is %.300q?", line)
	}
	if strings.HasPrefix(rest[end+2:], "?") {
		return nil // the process ended before the call did
	}
	var result int64
	if _, err := fmt.Sscan(rest[end+2:], &result); err != nil || result < 0 {
		return err
	}
	// Paths and texts contain no separator: strace writes each byte of them as \x00.
	return d.call(name, strings.Split(strings.TrimSuffix(strings.TrimRight(rest[:end], " "), ")"), ", "), result)
}

// unhex returns the first text in an argument.
func unhex(text string) []byte {
	begin := strings.Index(text, `\x`)
	if begin < 0 {
		return nil
	}
	var b []byte
	for text = text[begin:]; strings.HasPrefix(text, `\x`); text = text[4:] {
		one, err := strconv.ParseUint(text[2:4], 16, 8)
		if err != nil {
			panic(err)
		}
		b = append(b, byte(one))
	}
	return b
}

func (d *Disk) call(name string, args []string, result int64) error {
	switch name {
	case "openat":
		d.openAt(args, strconv.FormatInt(result, 10))
		return nil
	case "mkdirat":
		if in, name := d.place(args[0], args[1]); in != nil {
			d.move(renaming{in: in, name: name, is: newFolder(name)})
		}
		return nil
	case "renameat", "renameat2", "linkat":
		d.rename(name == "linkat", args)
		return nil
	case "unlinkat":
		if in, name := d.place(args[0], args[1]); in != nil {
			d.move(renaming{in: in, name: name, was: in.names[name]})
		}
		return nil
	}
	fd, _, _ := strings.Cut(args[0], "<")
	f := d.open[fd]
	if f == nil || !d.contains(string(unhex(args[0]))) { // or its number has been given to something else
		return nil
	}
	if f.names == nil {
		return d.change(f, name, args, result)
	}
	if name == "fsync" && !d.leaves("folder") {
		d.keep(f.node)
	}
	return nil
}

func (d *Disk) contains(path string) bool {
	return path == d.folder || strings.HasPrefix(path, d.folder+string(filepath.Separator))
}

// place returns the folder and the name at a path; no folder if it is outside.
func (d *Disk) place(at, path string) (in *node, name string) {
	p := string(unhex(path))
	if !filepath.IsAbs(p) {
		p = filepath.Join(string(unhex(at)), p)
	}
	below, inside := strings.CutPrefix(filepath.Clean(p), d.folder+string(filepath.Separator))
	if !inside {
		return nil, ""
	}
	in = d.root
	parts := strings.Split(below, string(filepath.Separator))
	for _, part := range parts[:len(parts)-1] {
		if in = in.names[part]; in == nil || in.names == nil {
			return nil, ""
		}
	}
	return in, parts[len(parts)-1]
}

func (d *Disk) openAt(args []string, fd string) {
	delete(d.open, fd)
	if string(unhex(args[1])) == d.folder {
		d.open[fd] = &opened{node: d.root}
		return
	}
	in, name := d.place(args[0], args[1])
	if in == nil {
		return
	}
	f := in.names[name]
	if f == nil {
		f = &node{name: name}
		d.move(renaming{in: in, name: name, is: f})
	} else if strings.Contains(args[2], "O_TRUNC") {
		f.Resize(0)
	}
	d.open[fd] = &opened{node: f, atEnd: strings.Contains(args[2], "O_APPEND")}
}

func (d *Disk) rename(keep bool, args []string) {
	from, name := d.place(args[0], args[1])
	to, newName := d.place(args[2], args[3])
	if from == nil || to == nil || from.names[name] == nil { // a socket has no file
		return
	}
	file := from.names[name]
	edits := []renaming{{in: to, name: newName, is: file}}
	if !keep {
		edits = append(edits, renaming{in: from, name: name, was: file})
	}
	d.move(edits...)
}

func (e renaming) apply(names map[string]*node) {
	if e.is != nil {
		names[e.name] = e.is
	} else if names[e.name] == e.was {
		delete(names, e.name)
	}
}

func (d *Disk) move(edits ...renaming) {
	for _, e := range edits {
		e.apply(e.in.names)
	}
	d.moves = append(d.moves, &move{edits: edits})
}

// keep makes the names in a folder certain.
func (d *Disk) keep(folder *node) {
	for _, m := range d.moves {
		m.certain = m.certain || slices.ContainsFunc(m.edits, func(e renaming) bool { return e.in == folder })
	}
	for len(d.moves) > 0 && d.moves[0].certain {
		for _, e := range d.moves[0].edits {
			e.apply(e.in.kept)
		}
		d.moves = d.moves[1:]
	}
}

// change does what a call does to a file.
func (d *Disk) change(f *opened, name string, args []string, result int64) error {
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
		data := unhex(args[1])[:result]
		if f.name == Notes {
			d.notes = append(d.notes, data...)
			return nil
		}
		if f.atEnd {
			f.at = f.size
		}
		f.Write(f.at, data)
		f.at += result
	case "pwrite64":
		f.Write(number(3), unhex(args[1])[:result])
	case "ftruncate":
		f.Resize(number(1))
	case "fsync", "fdatasync":
		if !d.leaves("file") {
			f.Sync()
		}
	default:
		return fmt.Errorf("%s(%.200q) of %s is not known", name, args, f.name)
	}
	return nil
}

// Cut makes the folder that a power cut leaves.
func (d *Disk) Cut(random *rand.Rand, folder string) error {
	views := map[*node]map[string]*node{}
	names := func(of *node) map[string]*node {
		if views[of] == nil {
			views[of] = maps.Clone(of.kept)
		}
		return views[of]
	}
	first := random.IntN(len(d.moves) + 1)
	for i, m := range d.moves {
		if i < first || m.certain {
			for _, e := range m.edits {
				e.apply(names(e.in))
			}
		}
	}
	return leave(random, names, d.root, folder)
}

// leave writes a folder and what is in it.
func leave(random *rand.Rand, names func(*node) map[string]*node, of *node, folder string) error {
	all := names(of)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f, path := all[name], filepath.Join(folder, name)
		if f.names != nil {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			if err := leave(random, names, f, path); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(path, f.Cut(random), 0o600); err != nil {
			return err
		}
	}
	return nil
}
