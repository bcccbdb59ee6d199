package query

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quire/content/event"
	"quire/query/params"
	"quire/schema"
)

// syncMark identifies a copy: which types and attributes it has and how it shows them. It
// depends on the query, the schemas and what of them the caller may see.
type syncMark [9]byte

func (y *Sync) markOf(n *params.Node) (sum syncMark) {
	var m marker
	first := y.queries[0]
	m.bytes = append(m.bytes, byte(first.versions.status))
	for _, hidden := range first.versions.hidden {
		m.bytes = append(m.bytes, map[bool]byte{false: 'o', true: 'h'}[hidden])
	}
	for _, l := range first.site.Settings.Locales {
		m.text(l.Code)
	}
	for _, key := range []string{"locale", "fields", "populate"} {
		m.node(n.Get(key))
	}
	seen := map[*selection]int{}
	for _, q := range y.queries {
		m.text(fmt.Sprintf("%t %t %t", q.v4, q.t.Localized, q.t.DraftAndPublish))
		m.selection(q.selection, seen)
	}
	whole := sha256.Sum256(m.bytes)
	copy(sum[:], whole[:])
	return sum
}

// selection writes which attributes a selection shows, and their kinds.
func (m *marker) selection(s *selection, seen map[*selection]int) {
	if n, again := seen[s]; again {
		m.bytes = binary.AppendUvarint(append(m.bytes, 'a'), uint64(n))
		return
	}
	seen[s] = len(seen)
	m.text(s.shape.t.UID)
	slot := 0
	for i := range s.values {
		v := &s.values[i]
		slot += v.skip
		a := s.shape.outputs[slot].attribute
		slot++
		m.text(a.Name)
		m.bytes = append(m.bytes, byte(a.Kind))
		m.population(v.population, seen)
	}
	for _, a := range s.system {
		m.text(a.Name)
	}
	for _, p := range s.relations {
		m.population(p, seen)
	}
	m.bytes = append(m.bytes, 'e')
}

func (m *marker) population(p *population, seen map[*selection]int) {
	if p == nil {
		return
	}
	m.text(p.key)
	if p.record != nil {
		m.selection(p.record, seen)
	}
	for _, t := range slices.SortedFunc(maps.Keys(p.byType), func(a, b *schema.Type) int { return strings.Compare(a.UID, b.UID) }) {
		m.selection(p.byType[t], seen)
	}
}

// Since is what a client passes to continue: a place in a walk, or a position in the log of
// changes with the mark of the copy.

const (
	walkPrefix = "w." // positions begin with a digit
	walkForm   = 2    // version of the form of a place; cursors use other versions
)

// StaleError: a copy was begun by another query, or the caller sees something else by now,
// so it must begin again.
type StaleError struct{}

func (*StaleError) Error() string {
	return "what the caller may see, the schemas or the query are not what they were when the copy was begun"
}

// SinceWalk returns the text of a place in a walk. It is encrypted like cursors.
func (y *Sync) SinceWalk(w *SyncWalk) string {
	b := append([]byte{walkForm}, y.mark[:]...)
	b = binary.AppendUvarint(b, w.Revision)
	b = binary.AppendUvarint(b, w.id)
	return walkPrefix + y.sealer.seal(append(b, w.uid...))
}

// SincePosition returns the text of a position in the log.
func (y *Sync) SincePosition(p event.Position) string {
	return p.String() + "-" + base64.RawURLEncoding.EncodeToString(y.mark[:])
}

// ParseSince reads where to continue: a place in a walk, or a position, which may be
// without a mark. Errors are *params.ParamError and *StaleError.
func (y *Sync) ParseSince(text string) (w *SyncWalk, p event.Position, err error) {
	if strings.HasPrefix(text, walkPrefix) {
		w, err = y.openWalk(strings.TrimPrefix(text, walkPrefix))
		return w, p, err
	}
	position, mark, marked := strings.Cut(text, "-")
	if p, err = event.ParsePosition(position); err != nil {
		return nil, p, refuseSince()
	}
	b, err := decodeBase64(mark)
	switch {
	case marked && (err != nil || len(b) != len(y.mark)):
		return nil, p, refuseSince()
	case marked && syncMark(b) != y.mark:
		return nil, p, &StaleError{}
	}
	return nil, p, nil
}

func (y *Sync) openWalk(sealed string) (*SyncWalk, error) {
	b, err := y.sealer.open(sealed)
	if err != nil || len(b) < 1+len(y.mark) || b[0] != walkForm {
		return nil, refuseSince()
	}
	if syncMark(b[1:1+len(y.mark)]) != y.mark {
		return nil, &StaleError{}
	}
	w, r := &SyncWalk{}, bytes.NewReader(b[1+len(y.mark):])
	revision, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, refuseSince()
	}
	id, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, refuseSince()
	}
	w.Revision, w.id, w.uid = revision, id, string(b[len(b)-r.Len():])
	return w, nil
}

func refuseSince() error {
	return refuseParam("since", "since", "Invalid since parameter. Expected a revision, or what meta.since of an answer was")
}
