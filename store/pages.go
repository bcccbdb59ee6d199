package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// The layout of bbolt's pages, version 2, in the byte order of the machine:
//
//	page     id 8 · kind 2 · count 2 · overflow 4 · elements, then their data
//	head     magic 4 · version 4 · page size 4 · flags 4 · root page 8 · root sequence 8 ·
//	         free list page 8 · end page 8 · transaction 8 · FNV-1a of all before 8
//	branch   element: position of its key, from itself 4 · key size 4 · child page 8
//	leaf     element: flags 4 · position 4 · key size 4 · value size 4
//	bucket   as a value: root page 8 · sequence 8; a root page of 0 says that
//	         the bucket's one leaf page follows right there
//	free     ids 8 each; a count of 65535 says that the first one is the count
const (
	pageHead     = 16
	elementSize  = 16
	bucketHead   = 16
	headSize     = 64
	boltVersion  = 2
	smallestPage = 1 << 10
	largestPage  = 1 << 24

	branchPage = 0x01
	leafPage   = 0x02
	freePage   = 0x10

	bucketFlag = 0x01

	noFreeList = ^uint64(0)
	longCount  = 0xFFFF
)

var order = binary.NativeEndian

func boltMagic() []byte { return order.AppendUint32(nil, 0xED0CDAED) }

// head is the content of a head page: the state of the file as of one commit.
type head struct {
	pageSize        int64
	root, free, end uint64 // pages; all are below end
	transaction     uint64
}

// readHead returns the newer of the two heads that are sound.
func readHead(f io.ReaderAt) (head, error) {
	first, ok := headAt(f, 0)
	if ok {
		second, ok := headAt(f, first.pageSize)
		if ok && second.transaction > first.transaction {
			return second, nil
		}
		return first, nil
	}
	for size := int64(smallestPage); size <= largestPage; size *= 2 {
		if second, ok := headAt(f, size); ok && second.pageSize == size {
			return second, nil
		}
	}
	return head{}, errors.New("neither of its head pages is sound")
}

func headAt(f io.ReaderAt, offset int64) (h head, ok bool) {
	b := make([]byte, pageHead+headSize)
	if _, err := f.ReadAt(b, offset); err != nil {
		return h, false
	}
	b = b[pageHead:]
	sum := fnv.New64a()
	sum.Write(b[:headSize-8])
	h = head{
		pageSize:    int64(order.Uint32(b[8:])),
		root:        order.Uint64(b[16:]),
		free:        order.Uint64(b[32:]),
		end:         order.Uint64(b[40:]),
		transaction: order.Uint64(b[48:]),
	}
	ok = bytes.Equal(b[:4], boltMagic()) && order.Uint32(b[4:]) == boltVersion &&
		order.Uint64(b[56:]) == sum.Sum64() &&
		h.pageSize >= smallestPage && h.pageSize <= largestPage
	return h, ok
}

// page is a page with all its overflow, or the page within a small bucket's value.
type page []byte

func (p page) id() uint64   { return order.Uint64(p) }
func (p page) kind() uint16 { return order.Uint16(p[8:]) }
func (p page) count() int   { return int(order.Uint16(p[10:])) }

// element is one item of a branch or leaf page.
type element struct {
	key    []byte
	child  uint64 // of a branch
	value  []byte // of a leaf
	bucket bool   // value is a bucket
}

var (
	errElement = errors.New("an element reaches outside of it")
	errGap     = errors.New("its elements do not lie one after the other")
)

// elements returns the items of a branch or leaf page, in dst.
func (p page) elements(dst []element) ([]element, error) {
	end := pageHead + p.count()*elementSize
	if end > len(p) {
		return dst, errElement
	}
	if p.count() == 0 && !p.blank() {
		return dst, errors.New("it has no elements, but the traces of some")
	}
	data := end // where the data of the next item begins
	for at := pageHead; at < end; at += elementSize {
		e, position, err := p.element(at)
		if err != nil {
			return dst, err
		}
		if position != data {
			return dst, errGap
		}
		data += len(e.key) + len(e.value)
		dst = append(dst, e)
	}
	return dst, nil
}

// blank reports whether there is nothing at the place of the first element. bbolt writes
// pages of zeros, so a count that was lost leaves traces.
func (p page) blank() bool {
	for _, b := range p[pageHead:min(len(p), pageHead+elementSize)] {
		if b != 0 {
			return false
		}
	}
	return true
}

// element returns the item described at that offset, and where its data is.
func (p page) element(at int) (e element, position int, err error) {
	b := p[at:]
	var offset, keySize, valueSize uint64
	if p.kind() == branchPage {
		offset, keySize = uint64(order.Uint32(b)), uint64(order.Uint32(b[4:]))
		e.child = order.Uint64(b[8:])
	} else {
		flags := order.Uint32(b)
		e.bucket = flags == bucketFlag
		offset, keySize = uint64(order.Uint32(b[4:])), uint64(order.Uint32(b[8:]))
		valueSize = uint64(order.Uint32(b[12:]))
		if flags > bucketFlag {
			return e, 0, fmt.Errorf("an element has the unknown flags %#x", flags)
		}
	}
	if offset+keySize+valueSize > uint64(len(b)) || keySize == 0 {
		return e, 0, errElement
	}
	e.key = b[offset : offset+keySize]
	e.value = b[offset+keySize : offset+keySize+valueSize]
	return e, at + int(offset), nil
}

// freeIDs returns the pages in a page of the free list.
func (p page) freeIDs() ([]byte, error) {
	ids := p[pageHead:]
	n := uint64(p.count())
	if n == longCount {
		if len(ids) < 8 {
			return nil, errElement
		}
		n, ids = order.Uint64(ids), ids[8:]
	}
	if n > uint64(len(ids)/8) {
		return nil, fmt.Errorf("it lists %d pages, more than it has room for", n)
	}
	return ids[:n*8], nil
}
