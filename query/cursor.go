package query

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"

	"quire/index"
	"quire/query/params"
	"quire/schema"
)

// A cursor is a place in the order of one query: the sort values and the id of the last
// entry of a page. The next page begins after that place, whatever has been written in
// between, and whether the entry still exists or not. Clients get it encrypted: it reveals
// nothing, and only issued cursors are accepted.

// afterKey is the parameter with a cursor.
const afterKey = "pagination[after]"

const (
	cursorForm  = 1       // version of the form of a cursor
	cursorBytes = 1 << 10 // maximum bytes of the sort values in a cursor; it has only the beginning of longer ones
	mostCursor  = 1 << 11 // bytes of an encrypted cursor
)

// cursor is the content of an encrypted cursor.
type cursor struct {
	mark queryMark
	id   uint64
	keys []cursorKey
}

// cursorKey is one sort value, or the beginning of one with a checksum of the whole.
type cursorKey struct {
	sortValue
	cut bool
	sum [8]byte
}

func digest(key string) (sum [8]byte) {
	whole := sha256.Sum256([]byte(key))
	copy(sum[:], whole[:])
	return sum
}

// shorten returns the form of a sort value in a cursor, with at most most bytes.
func (v sortValue) shorten(most int) cursorKey {
	if len(v.key) <= most {
		return cursorKey{sortValue: v}
	}
	return cursorKey{sortValue{key: v.key[:most]}, true, digest(v.key)}
}

var (
	errCursor      = errors.New("expected a cursor of meta.pagination.next")
	errOtherCursor = errors.New("the cursor belongs to another query: all but fields, populate and the size of the page must stay the same")
)

// append appends the bytes of a cursor.
func (c *cursor) append(dst []byte) []byte {
	dst = append(append(dst, cursorForm), c.mark[:]...)
	dst = binary.AppendUvarint(dst, c.id)
	for _, k := range c.keys {
		flags := uint64(0)
		if k.null {
			flags |= 1
		}
		if k.cut {
			flags |= 2
		}
		dst = binary.AppendUvarint(dst, uint64(len(k.key))<<2|flags)
		dst = append(dst, k.key...)
		if k.cut {
			dst = append(dst, k.sum[:]...)
		}
	}
	return dst
}

// readCursor reads the bytes of a cursor of n sort values, written by append.
func readCursor(b []byte, n int) (*cursor, error) {
	c := &cursor{}
	if len(b) < 1+len(c.mark) || b[0] != cursorForm {
		return nil, errCursor
	}
	copy(c.mark[:], b[1:])
	r := bytes.NewReader(b[1+len(c.mark):])
	id, err := binary.ReadUvarint(r)
	c.id = id
	for ; err == nil && n > 0; n-- {
		var k cursorKey
		k, err = readKey(r)
		c.keys = append(c.keys, k)
	}
	if err != nil || r.Len() > 0 {
		return nil, errOtherCursor
	}
	return c, nil
}

func readKey(r *bytes.Reader) (k cursorKey, err error) {
	length, err := binary.ReadUvarint(r)
	if err != nil || length>>2 > uint64(r.Len()) {
		return k, errCursor
	}
	key := make([]byte, length>>2)
	r.Read(key)
	k.key, k.null, k.cut = string(key), length&1 != 0, length&2 != 0
	if k.cut {
		if n, _ := r.Read(k.sum[:]); n < len(k.sum) {
			return k, errCursor
		}
	}
	return k, nil
}

// compileCursor resolves a cursor against the rest of the query.
func (c *Compiler) compileCursor(q *Query, query *params.Node) error {
	if !q.paging.byCursor {
		return nil
	}
	q.sealer, q.mark = c.sealer, markOf(q, query)
	text := pagingText(query.Get("pagination"), "after")
	if text == nil || *text == "" {
		return nil
	}
	plain, err := c.sealer.open(*text)
	if err == nil {
		q.after, err = readCursor(plain, len(q.order))
	}
	if err == nil && q.after.mark != q.mark {
		err = errOtherCursor
	}
	if err != nil {
		return refuseParam("pagination", afterKey, "Invalid "+afterKey+" parameter: "+err.Error())
	}
	return nil
}

// next returns the encrypted cursor after the last row of a page.
func (q *Query) next(x *run, tb *index.Table, r index.Row) string {
	rec := entryRecord(tb, r)
	c := cursor{mark: q.mark, id: rec.entry.ID}
	for i := range q.order {
		v := x.sortValue(rec, &q.order[i], q.order[i].hops)
		c.keys = append(c.keys, v.shorten(cursorBytes/len(q.order)))
	}
	return q.sealer.seal(c.append(nil))
}

// cursorPosition is the place of a cursor among the rows of a table.
type cursorPosition struct {
	keys     []sortValue
	at, next index.Row // the lowest rows whose ids are no lower than, and higher than, the cursor's
}

// within returns the place among rows that share its first value.
func (p *cursorPosition) within() *cursorPosition { return &cursorPosition{p.keys[1:], p.at, p.next} }

// sortable returns the first row that could come after the place.
func (p *cursorPosition) sortable() sortable { return sortable{p.next, p.keys} }

// place returns the place of the query's cursor; nil for the beginning.
func (q *Query) place(x *run, tb *index.Table) *cursorPosition {
	if q.after == nil {
		return nil
	}
	x.note("behind a cursor")
	p := &cursorPosition{at: tb.RowOf(q.after.id), next: tb.RowOf(q.after.id + 1)}
	for i := range q.after.keys {
		k := &q.after.keys[i]
		if k.cut {
			p.keys = append(p.keys, q.whole(x, tb, p.at, i))
		} else {
			p.keys = append(p.keys, k.sortValue)
		}
	}
	return p
}

// whole returns the sort value of which the cursor has only the beginning, if its entry
// still has it. Otherwise the place is before all values with that beginning: some of their
// entries may be shown again, and none is left out.
func (q *Query) whole(x *run, tb *index.Table, at index.Row, i int) sortValue {
	k, by := &q.after.keys[i], &q.order[i]
	if r, ok := tb.FindID(q.after.id); ok {
		if v := x.sortValue(entryRecord(tb, r), by, by.hops); !v.null && digest(v.key) == k.sum {
			return v
		}
	}
	if by.descending {
		return sortValue{key: k.key + strings.Repeat("\xff", 8)}
	}
	return k.sortValue
}

// queryMark identifies the query that a cursor belongs to.
type queryMark [16]byte

// marker writes what makes two queries the same.
type marker struct{ bytes []byte }

func (m *marker) text(s string) {
	m.bytes = append(binary.AppendUvarint(m.bytes, uint64(len(s))), s...)
}

func (m *marker) texts(list []string) {
	m.bytes = binary.AppendUvarint(m.bytes, uint64(len(list)))
	for _, s := range list {
		m.text(s)
	}
}

func (m *marker) node(n *params.Node) {
	if n == nil {
		m.bytes = append(m.bytes, 'n')
		return
	}
	m.bytes = append(m.bytes, byte(n.Kind))
	m.text(n.Text)
	m.texts(n.Keys)
	m.bytes = binary.AppendUvarint(m.bytes, uint64(len(n.Items)))
	for _, item := range n.Items {
		m.node(item)
	}
}

func (m *marker) key(k *sortKey) {
	for _, hop := range k.hops {
		m.text(hop.String())
	}
	if k.rank != nil {
		m.text(schema.RankKey) // for the result of _q
	} else {
		m.text(k.path.String())
		m.bytes = append(m.bytes, byte(k.path.Last().Kind))
	}
	if k.descending {
		m.bytes = append(m.bytes, 'd')
	}
}

// markOf returns the mark of a query: its type, which entries it finds in which version and
// locale, and their order, but not what it shows of each. It includes whose drafts the
// caller may not read, because the order depends on what is visible.
func markOf(q *Query, query *params.Node) (sum queryMark) {
	var m marker
	m.text(q.t.UID)
	m.bytes = append(m.bytes, byte(q.versions.status))
	for _, hidden := range q.versions.hidden {
		m.bytes = append(m.bytes, map[bool]byte{false: 'o', true: 'h'}[hidden])
	}
	m.texts(q.locales)
	m.texts(q.fallback)
	m.text(string(q.publication))
	if q.document != "" {
		m.text(q.document)
	}
	m.node(query.Get("filters"))
	m.node(query.Get("_q"))
	for i := range q.order {
		m.key(&q.order[i])
	}
	whole := sha256.Sum256(m.bytes)
	copy(sum[:], whole[:])
	return sum
}
