package push

import (
	"encoding/json"
	"slices"

	"quire/content/history"
	"quire/store"
)

// bucket has a record for each document that a push has made equal: in the data file of the side
// to, under the uid and the documentId.
const bucket = "pushed"

// mark is a write of a document.
type mark struct {
	Version uint64 `json:"version"`
	At      int64  `json:"at"` // updatedAt of what it made, or when it removed something
}

// record says that a document was the same after a write on each side.
type record struct {
	Other mark   `json:"other"` // on the other side
	Own   uint64 `json:"own"`   // number of the write on the side that has the record
}

// partedKey is the key of the record that says where two sites parted.
const partedKey = "-"

// parting is the last write that both sides have: what is left of it may be gone by the next push. It
// counts for a side that knows a write which was made equal then.
type parting struct {
	Base       uint64 `json:"base"`
	Type       string `json:"type"`
	DocumentID string `json:"documentId"`
	Other      mark   `json:"other"`
}

// remember finds where the sides parted in what earlier pushes have recorded, in either direction.
func (m *making) remember() error {
	for _, side := range [][2]*store.Tx{{m.to.Tx, m.from.Tx}, {m.from.Tx, m.to.Tx}} {
		var p parting
		value, err := side[0].Record(bucket, partedKey)
		if err != nil {
			return err
		}
		if value == nil || json.Unmarshal(value, &p) != nil || m.from.Site.Type(p.Type) == nil {
			continue
		}
		d := named{m.from.Site.Type(p.Type), p.DocumentID}
		versions, err := history.Versions(side[1], d.t.UID, d.documentID)
		if err != nil {
			return err
		}
		if d.has(versions, p.Other) {
			m.base = max(m.base, p.Base)
		}
	}
	return nil
}

func (d named) key() string { return d.t.UID + " " + d.documentID }

// recordOf reads the record of a document; the zero one if there is none.
func recordOf(tx *store.Tx, d named) (r record, err error) {
	value, err := tx.Record(bucket, d.key())
	if err != nil || value == nil {
		return r, err
	}
	if json.Unmarshal(value, &r) != nil {
		return record{}, nil // then the document has changed on both sides
	}
	return r, nil
}

// last returns the last write of a document.
func last(versions []history.Version) (m mark) {
	for i := range versions {
		for _, one := range marksOf(&versions[i]) {
			if one.Version > m.Version || one.Version == m.Version && one.At > m.At {
				m = one
			}
		}
	}
	return m
}

func marksOf(v *history.Version) []mark {
	list := []mark{{v.Revision(), v.UpdatedAt}}
	if v.End.Removed {
		list = append(list, mark{v.End.Version, v.End.At})
	}
	return list
}

// has reports whether a side knows a write. Files and folders have no history: their number
// decides.
func (d named) has(versions []history.Version, m mark) bool {
	if d.t.BuiltIn {
		return m.Version <= last(versions).Version
	}
	for i := range versions {
		for _, one := range marksOf(&versions[i]) {
			if one == m {
				return true
			}
		}
	}
	return false
}

// Check returns ErrOvertaken unless the documents are as they were when the plan was made. It is to
// run in the transaction of the steps. Other errors are the store's.
func (p *Plan) Check(tx *store.Tx) error {
	for _, d := range p.pushed {
		versions, err := history.Versions(tx, d.t.UID, d.documentID)
		if err == nil && last(versions).Version != d.version {
			err = ErrOvertaken
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Note records what the push has made equal, in the transaction of its steps and after them. The
// transaction of the side from must still be open. Errors are the store's.
func (p *Plan) Note(tx *store.Tx) error {
	parted := parting{Base: p.base}
	list := slices.Clone(p.equal)
	for _, d := range p.pushed {
		list = append(list, d.named)
	}
	for _, d := range list {
		now, err := p.noteOne(tx, d)
		if err != nil {
			return err
		}
		if !d.t.BuiltIn && parted.Type == "" {
			parted.Type, parted.DocumentID, parted.Other = d.t.UID, d.documentID, now.Other
		}
	}
	if parted.Type == "" {
		return nil
	}
	return put(tx, partedKey, parted)
}

func (p *Plan) noteOne(tx *store.Tx, d named) (now record, err error) {
	from, err := history.Versions(p.from, d.t.UID, d.documentID)
	if err != nil {
		return now, err
	}
	to, err := history.Versions(tx, d.t.UID, d.documentID)
	if err != nil {
		return now, err
	}
	now = record{last(from), last(to).Version}
	if known, err := recordOf(tx, d); err != nil || known == now {
		return now, err
	}
	return now, put(tx, d.key(), now)
}

func put(tx *store.Tx, key string, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.PutRecord(bucket, key, value)
}
