package index

// Group is the rows that share a value in an ordered walk. Some of them are in the set of
// the walk.
type Group struct {
	Rows Posting
	Skip int  // how many of those in the set of the walk to skip
	At   bool // they have the value at which the walk begins
}

// Start is a value at which a walk begins, whether any row has it or not.
type Start struct {
	Key  string
	Null bool
}

// Order describes a walk over the values of an index.
type Order struct {
	Descending bool   // nulls come last ascending and first descending
	Among      *Bits  // the set of rows to visit, nil for all
	Skip       int    // how many of them, in order, are skipped
	Most       int    // maximum number of groups to visit; 0 for no maximum
	From       *Start // the value at which it begins, nil for the first; without a Skip
	// Over is called from time to time with the number of groups visited since; the walk
	// ends if it returns true. It may be nil.
	Over func(groups int) bool
}

// Walk calls fn for the groups in order until it returns false. It skips groups without any
// row of the set, if possible whole blocks at a time. It returns the number of groups
// visited, and false if it stopped because the order allows no more.
func (v *Values) Walk(o Order, fn func(Group) bool) (visited int, done bool) {
	w := walk{Order: o, fn: fn}
	switch {
	case o.From != nil:
		w.from(v)
	case !o.Descending:
		v.blocks.Ascend(w.block)
		w.group(v.nulls, false)
	case w.group(v.nulls, false):
		v.blocks.Descend(w.block)
	}
	return w.visited, !w.gaveUp
}

// from walks from a value on.
func (w *walk) from(v *Values) {
	at := &block{from: w.From.Key}
	switch {
	case w.From.Null && w.Descending:
		if w.group(v.nulls, true) {
			v.blocks.Descend(w.block)
		}
	case w.From.Null:
		w.group(v.nulls, true)
	case w.Descending:
		v.blocks.DescendLessOrEqual(at, w.block)
	default:
		v.blocks.DescendLessOrEqual(at, func(b *block) bool { at = b; return false })
		v.blocks.AscendGreaterOrEqual(at, w.block)
		w.group(v.nulls, false)
	}
}

// entries returns the values of a block that are not before the beginning of the walk.
func (w *walk) entries(b *block) []valueEntry {
	if w.From == nil || w.From.Null {
		return b.entries
	}
	at, found := b.find(w.From.Key)
	switch {
	case !w.Descending:
		return b.entries[at:]
	case found:
		at++
	}
	return b.entries[:at]
}

// walk is the state of one Walk; Skip counts down.
type walk struct {
	Order
	visited int
	ended   bool
	gaveUp  bool
	fn      func(Group) bool
}

func (w *walk) group(rows Posting, at bool) bool {
	if w.ended || rows.Len() == 0 {
		return !w.ended
	}
	if w.Most > 0 && w.visited == w.Most {
		w.ended, w.gaveUp = true, true
		return false
	}
	w.visited++
	if w.passes(rows) {
		return true
	}
	w.ended = !w.fn(Group{rows, w.Skip, at})
	w.Skip = 0
	return !w.ended
}

// passes skips a group if nothing of it is wanted. It counts its rows only if their number
// matters.
func (w *walk) passes(rows Posting) bool {
	if w.Skip == 0 {
		return w.Among != nil && !rows.Intersects(w.Among)
	}
	n := rows.Len()
	if w.Among != nil {
		n = rows.CountIn(w.Among)
	}
	if n > w.Skip {
		return false
	}
	w.Skip -= n
	return true
}

// leavesOut reports whether a group of a single row is skipped; most groups of an index of
// names have one row. It does the same as group and passes in fewer steps.
func (w *walk) leavesOut(rows Posting) bool {
	return rows.rows == nil && w.Skip == 0 && w.Among != nil && w.visited != w.Most && !w.Among.Has(rows.one-1)
}

// begins reports whether the walk begins at a value.
func (w *walk) begins(key string) bool {
	return w.From != nil && !w.From.Null && w.From.Key == key
}

func (w *walk) block(b *block) bool {
	if w.Among == nil && b.rows <= w.Skip {
		w.Skip -= b.rows
		return true
	}
	before, entries := w.visited, w.entries(b)
	for i := range entries {
		if w.Descending {
			i = len(entries) - 1 - i
		}
		e := &entries[i]
		if w.leavesOut(e.rows) {
			w.visited++
			continue
		}
		if !w.group(e.rows, w.begins(e.key)) {
			return false
		}
	}
	w.ended = w.Over != nil && w.Over(w.visited-before)
	return !w.ended
}
