package index

import "quire/schema"

func (s *Snapshot) buildValues(tb *Table, path Path, b *indexBuild) *Values {
	var pairs []keyRow
	if b.take(tb.Len() * keyRowBytes / 2) {
		pairs = make([]keyRow, 0, tb.Len())
	}
	var nulls []Row
	tb.live.Each(func(r Row) bool {
		s.eachKey(path, tb.Entry(r), func(key string, isNull bool) {
			if isNull {
				if n := len(nulls); n == 0 || nulls[n-1] != r {
					nulls = append(nulls, r)
				}
				return
			}
			if b.take(keyRowBytes + valueBytes + len(key)) {
				pairs = append(pairs, keyRow{key, r})
			}
		})
		return !b.failed
	})
	if b.failed {
		pairs = nil
	}
	return newValues(path, pairs, nulls, tb.Size())
}

// eachKey calls fn for every value that an entry has at a scalar path.
func (s *Snapshot) eachKey(path Path, e *Entry, fn func(key string, isNull bool)) {
	last := path.Last()
	if last.System != schema.NotSystem {
		key, isNull := s.SystemKey(last, e)
		fn(key, isNull)
		return
	}
	s.EachSlot(e.Body, path.Attributes, func(slot []byte) {
		if slot == nil {
			fn("", true)
			return
		}
		fn(SlotKey(last, slot), false)
	})
}

// SystemKey returns the key of a system attribute of an entry.
func (s *Snapshot) SystemKey(a *schema.Attribute, e *Entry) (key string, isNull bool) {
	switch a.System {
	case schema.SystemID:
		return IntKey(int64(e.ID)), false
	case schema.SystemDocumentID:
		return e.DocumentID, false
	case schema.SystemCreatedAt:
		return IntKey(e.Created), false
	case schema.SystemUpdatedAt:
		return IntKey(e.Updated), false
	case schema.SystemPublishedAt:
		return IntKey(e.Published), e.Published == 0
	case schema.SystemLocale:
		return s.LocaleCode(e.Locale), e.Locale == NoLocale
	}
	return "", true
}

// pathKey is one value of an entry at a path.
type pathKey struct {
	key    string
	isNull bool
}

func (s *Snapshot) pathKeys(path Path, e *Entry) (keys distinct[pathKey]) {
	if e.exists() {
		s.eachKey(path, e, func(key string, isNull bool) { keys.add(pathKey{key, isNull}) })
	}
	return keys
}

func (v *Values) update(s *Snapshot, r Row, before, after *Entry, universe Row, own *edition) {
	reconcile(s.pathKeys(v.path, before), s.pathKeys(v.path, after),
		func(k pathKey) { v.remove(k.key, k.isNull, r, own) },
		func(k pathKey) { v.add(k.key, k.isNull, r, universe, own) })
}
