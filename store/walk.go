package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// deepest limits how far pages are below a root page; real files stay below 10.
const deepest = 100

// fileWalk goes through all pages of a bbolt file, as of its last commit, by reading and not
// mapping it. It trusts no number in the file, so it survives any damage, unlike bbolt,
// whose own check runs on a goroutine whose panics nobody can recover, and follows a page
// that is its own ancestor endlessly. bbolt reads what walk finds sound without a panic.
//
// The functions are called in the order of the file's keys. Their arguments are valid until
// they return.
type fileWalk struct {
	bucket  func(names []string)                    // a bucket begins
	item    func(names []string, key, value []byte) // a key and its value
	problem func(*CorruptError) bool                // damage; false ends the walk

	partial bool // a truncated file is walked as far as it goes

	ctx     context.Context
	path    string
	in      *os.File
	head    head
	brought bitset // parts of the file that were read ahead
	used    bitset
	free    bitset
	levels  []*level // one for each depth, reused
	faults  int
	stopped bool
}

// open prepares to walk f as of its last commit. The error is a *CorruptError if nothing of
// the file can be read.
func (w *fileWalk) open(ctx context.Context, path string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return accessError(path, err)
	}
	w.ctx, w.path, w.in = ctx, path, f
	if w.head, err = readHead(f); err != nil {
		return &CorruptError{Path: path, Err: err}
	}
	if pages := uint64(info.Size() / w.head.pageSize); pages < w.head.end && !w.partial {
		return &CorruptError{Path: path, Err: fmt.Errorf("it is cut off: %d of %d pages are left", pages, w.head.end)}
	}
	w.used, w.free = newBitset(w.head.end), newBitset(w.head.end)
	w.brought = newBitset(uint64(info.Size() / stretch))
	return nil
}

// run walks all pages. It passes damage to problem; the error is the context's.
func (w *fileWalk) run() error {
	w.freeList()
	w.subtree(nil, w.head.root, nil, nil, 0)
	if err := w.ctx.Err(); err != nil || w.faults > 0 {
		return err // pages seem lost only because the page that refers to them is damaged
	}
	w.lost()
	return nil
}

// lost finds the pages that are neither in a bucket nor in the free list. Their content is
// lost too: another page has replaced the one that referred to them.
func (w *fileWalk) lost() {
	for id := uint64(2); id < w.head.end && !w.stopped; id++ {
		if !w.used.has(id) && !w.free.has(id) {
			w.fault(nil, id, errors.New("it is neither in a bucket nor in the free list"))
		}
	}
}

func (w *fileWalk) freeList() {
	id := w.head.free
	if id == noFreeList {
		return
	}
	p, err := w.read(id, 0)
	if err == nil && p.kind() != freePage {
		err = fmt.Errorf("it is of kind %#x, not the free list", p.kind())
	}
	var ids []byte
	if err == nil {
		ids, err = p.freeIDs()
	}
	for ; err == nil && len(ids) > 0; ids = ids[8:] {
		free := order.Uint64(ids)
		if free < 2 || free >= w.head.end || w.free.has(free) || w.used.has(free) {
			err = fmt.Errorf("it lists page %d, which cannot be free", free)
			break
		}
		w.free.set(free)
	}
	if err != nil {
		w.fault(nil, id, err)
	}
}

// subtree walks the page and all below it. Keys must be from low on and below high, if
// these are given.
func (w *fileWalk) subtree(names []string, id uint64, low, high []byte, depth int) {
	if w.stopped || w.ctx.Err() != nil {
		return
	}
	p, err := w.read(id, depth)
	if err == nil && p.kind() != branchPage && p.kind() != leafPage {
		err = fmt.Errorf("it is of kind %#x, neither branch nor leaf", p.kind())
	}
	if err == nil {
		err = w.elements(names, p, low, high, depth)
	}
	if err != nil {
		w.fault(names, id, err)
	}
}

func (w *fileWalk) elements(names []string, p page, low, high []byte, depth int) error {
	l := w.level(depth)
	var err error
	if l.elements, err = p.elements(l.elements[:0]); err != nil {
		return err
	}
	for i, e := range l.elements {
		if !inKeyRange(low, e.key, high, i == 0) {
			return fmt.Errorf("key %q is out of order", e.key)
		}
		low = e.key
		switch {
		case p.kind() == branchPage:
			end := high
			if i+1 < len(l.elements) {
				end = l.elements[i+1].key
			}
			w.subtree(names, e.child, e.key, end, depth+1)
		case e.bucket:
			err = w.subBucket(append(slices.Clip(names), string(e.key)), e.value, depth)
		case !w.stopped:
			w.item(names, e.key, e.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inKeyRange reports whether key comes after low, or equals it if allowed, and before high.
func inKeyRange(low, key, high []byte, mayBeLow bool) bool {
	c := bytes.Compare(low, key)
	return (c < 0 || c == 0 && mayBeLow) && (high == nil || bytes.Compare(key, high) < 0)
}

func (w *fileWalk) subBucket(names []string, value []byte, depth int) error {
	if len(value) < bucketHead {
		return fmt.Errorf("bucket %q has no root", names[len(names)-1])
	}
	w.bucket(names)
	if root := order.Uint64(value); root != 0 {
		w.subtree(names, root, nil, nil, depth+1)
		return nil
	}
	p := page(value[bucketHead:])
	if len(p) < pageHead || p.kind() != leafPage {
		return fmt.Errorf("bucket %q has no page", names[len(names)-1])
	}
	return w.elements(names, p, nil, nil, depth+1)
}

// read reads a page with its overflow and marks it used. The page is valid until the next
// one of that depth.
func (w *fileWalk) read(id uint64, depth int) (page, error) {
	switch {
	case depth > deepest:
		return nil, errors.New("it lies too deep")
	case id < 2 || id >= w.head.end:
		return nil, fmt.Errorf("there is no such page: the file has %d", w.head.end)
	}
	p, err := w.load(id, 1, depth)
	if err != nil {
		return nil, err
	}
	n := uint64(order.Uint32(p[12:])) + 1
	if p.id() != id || n > w.head.end-id {
		return nil, fmt.Errorf("it says that it is page %d, %d pages long", p.id(), n)
	}
	for i := id; i < id+n; i++ {
		if w.used.has(i) || w.free.has(i) {
			return nil, fmt.Errorf("page %d is used twice, or is on the free list", i)
		}
		w.used.set(i)
	}
	if n == 1 {
		return p, nil
	}
	return w.load(id, n, depth)
}

// load reads n pages. If pages are requested one after the other, it reads more and more at
// a time.
func (w *fileWalk) load(id, n uint64, depth int) (page, error) {
	l, size := w.level(depth), uint64(w.head.pageSize)
	if id < l.first || id+n > l.end {
		ahead := n
		if id == l.end {
			ahead = max(n, min(2*(l.end-l.first), mostAhead/size, w.head.end-id))
		}
		err := w.loadInto(l, id, ahead)
		if err != nil && ahead > n {
			err = w.loadInto(l, id, n) // what comes after may not exist
		}
		if err != nil {
			return nil, err
		}
	}
	at := (id - l.first) * size
	return page(l.pages[at : at+n*size : at+n*size]), nil
}

// mostAhead is how much is read ahead at one depth, in bytes.
const mostAhead = 128 << 10

func (w *fileWalk) loadInto(l *level, id, n uint64) error {
	size := int(n) * int(w.head.pageSize)
	l.pages = slices.Grow(l.pages[:0], size)[:size]
	l.first, l.end = 0, 0
	at := int64(id) * w.head.pageSize
	w.bring(at)
	_, err := w.in.ReadAt(l.pages, at)
	if err == nil {
		l.first, l.end = id, id+n
	}
	return err
}

// stretch is how much of the file is read together, in bytes. The walk jumps in the file,
// but reads nearly every page of it.
const stretch = 4 << 20

// bring asks the system, once, to read the stretch of the file around an offset.
func (w *fileWalk) bring(at int64) {
	if n := uint64(at / stretch); !w.brought.has(n) {
		w.brought.set(n)
		readAhead(w.in, at-at%stretch, stretch)
	}
}

// level is the memory for the pages at one depth.
type level struct {
	pages      []byte
	first, end uint64 // their numbers
	elements   []element
}

func (w *fileWalk) level(depth int) *level {
	for len(w.levels) <= depth {
		w.levels = append(w.levels, &level{})
	}
	return w.levels[depth]
}

func (w *fileWalk) fault(names []string, id uint64, err error) {
	if w.stopped {
		return
	}
	w.faults++
	w.damage(strings.Join(names, "/"), "", fmt.Errorf("page %d: %w", id, err))
}

// damage passes damage in a bucket to problem, and stops the walk if that returns false.
func (w *fileWalk) damage(bucket, key string, err error) {
	w.stopped = !w.problem(&CorruptError{Path: w.path, Bucket: bucket, Key: key, Err: err})
}

// bitset is a set of pages.
type bitset []uint64

func newBitset(n uint64) bitset { return make(bitset, n/64+1) }

func (b bitset) has(i uint64) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) set(i uint64)      { b[i/64] |= 1 << (i % 64) }
