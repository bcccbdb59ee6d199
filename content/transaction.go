package content

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// A project's own code may do several writes that belong together, read in between what it
// has written, and wait for something outside. It must not keep other writers waiting. So a
// Transaction is prepared beside the Writer, against a version of the content that is never
// published. When it is complete, the Writer plans its writes again. If each of them changes
// the same as before, and nothing else that was read has changed, all are committed together;
// otherwise the transaction is prepared again.

// Transaction is writes that are all done or none. Its methods can be called concurrently.
type Transaction struct {
	writer *Writer
	now    time.Time

	mu     sync.Mutex
	ended  bool
	shown  *index.Snapshot // what it has begun on, and all writes so far
	file   *tentative
	writes []prepared
	reads  []func(*index.Snapshot) bool
	links  int // changed so far
	tree   folderTree
	made   made

	slow   chan struct{} // closed if it has lost its turn
	others int           // transactions that were prepared before it, and that it sees
	after  []func(committed bool)
	origin *origin // the write that the code takes part in
}

// prepared is a write of a transaction that has been planned.
type prepared struct {
	ctx     context.Context
	plan    plan
	about   *schema.Type
	changes []store.Change // before they were stamped
	results []Result
}

// ErrEnded is the error of a write in a transaction that has ended.
var ErrEnded = errors.New("content: the transaction has ended")

// begin begins a transaction on top of those of a group.
func (w *Writer) begin(g *group) *Transaction {
	return &Transaction{writer: w, now: w.planner.now(), shown: g.shown, file: g.file.next(), others: len(g.members), slow: make(chan struct{})}
}

// Snapshot returns the content as the transaction sees it, with all writes so far.
func (t *Transaction) Snapshot() *index.Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.shown
}

// Read notes that the code has read something. same reports whether it is as it was in
// another version of the content.
func (t *Transaction) Read(same func(*index.Snapshot) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reads = append(t.reads, same)
}

// After has f called when the transaction has ended, with whether it was committed.
func (t *Transaction) After(f func(committed bool)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.after = append(t.after, f)
}

// Do does a write in the transaction. The results show the content after it. An error
// refuses this write alone; it is one of [Writer.Together].
func (t *Transaction) Do(ctx context.Context, one Write) ([]Result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ctx = t.origin.claim(ctx, &one)
	if one.request != nil {
		t.identify(one.request)
		if err := t.writer.prepare(ctx, *one.request); err != nil {
			return nil, err
		}
	}
	return t.do(ctx, one)
}

// Try returns the error that Do would return for a write, and does nothing.
func (t *Transaction) Try(ctx context.Context, one Write) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.request != nil {
		if err := t.writer.prepare(ctx, *one.request); err != nil {
			return err
		}
	}
	op := t.operation()
	op.tree = maps.Clone(t.tree)
	_, err := one.plan.on(ctx, op)
	return err
}

// operation begins a write on the result of those before it. t.mu must be held.
func (t *Transaction) operation() *operation {
	op := t.writer.planner.operation(t.file, t.shown, t.now)
	op.touched.links, op.tree, op.complete, op.made = t.links, t.tree, true, t.made
	op.view = t.writer.db.View
	return op
}

// identify gives a new document its id, so that planning twice gives the same.
func (t *Transaction) identify(r *Request) {
	if r.DocumentID != "" || !r.create && r.Type.Kind != schema.Single {
		return
	}
	if r.Type.Kind == schema.Single {
		if _, ok := t.shown.SingleDocument(r.Type); ok {
			return
		}
	}
	r.DocumentID = NewDocumentID()
}

// do plans a write whose input has been prepared, and adds its changes to what the
// transaction shows. t.mu must be held.
func (t *Transaction) do(ctx context.Context, one Write) (results []Result, err error) {
	if t.ended {
		return nil, ErrEnded
	}
	op := t.operation()
	if results, err = one.plan.on(ctx, op); err != nil {
		return nil, err
	}
	changes := slices.Clone(op.changes)
	edit := t.shown.Fork()
	if err := op.imagine(edit); err != nil {
		return nil, err
	}
	t.file.add(op)
	t.shown, t.links, t.tree = edit.Snapshot(), op.touched.links, op.tree
	t.tree.follow(op.changes)
	t.made.follow(op)
	for i := range results {
		results[i].Snapshot, results[i].Version = t.shown, op.version
	}
	t.writes = append(t.writes, prepared{ctx, one.plan, one.about.t, changes, results})
	return results, nil
}

// imagine applies the plan to a version of the content in memory alone.
func (op *operation) imagine(edit *index.Edit) (err error) {
	defer CatchPanic(&err)
	if err := op.stamp(); err != nil {
		return err
	}
	for _, c := range op.changes {
		if c.Before != nil || c.After != nil {
			if err := edit.Apply(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// plans returns the writes for the Writer. They fail with an *OvertakenError if they would do
// something else now.
func (t *Transaction) plans() []plan {
	plans := make([]plan, len(t.writes))
	for i, one := range t.writes {
		plans[i] = func(op *operation) ([]Result, error) {
			if i == 0 {
				op.touched.links = 0
			}
			op.now = t.now.UnixMilli()
			op.serve(one.ctx)
			results, err := one.plan(op)
			if err == nil && !sameChanges(op.changes, one.changes) {
				err = one.overtaken()
			}
			return results, err
		}
	}
	return plans
}

// unchanged returns an error if something that the transaction read has changed.
func (t *Transaction) unchanged(now *index.Snapshot) error {
	for _, same := range t.reads {
		if !same(now) {
			return t.writes[0].overtaken()
		}
	}
	return nil
}

func (p *prepared) overtaken() error {
	e := &OvertakenError{}
	if len(p.changes) > 0 {
		e.Type, e.DocumentID = p.changes[0].Type, keyOf(p.changes[0]).DocumentID
	}
	return e
}

// sameChanges reports whether two plans change the same entries in the same way. The ids of
// component instances and the places of links may differ: others take them from the same
// sequences.
func sameChanges(a, b []store.Change) bool {
	return slices.EqualFunc(a, b, func(x, y store.Change) bool {
		return x.Type == y.Type && sameEntry(x.Before, y.Before) && sameEntry(x.After, y.After)
	})
}

func sameEntry(a, b *store.Entry) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ID == b.ID && a.Key() == b.Key() && a.CreatedAt == b.CreatedAt && a.UpdatedAt == b.UpdatedAt &&
		a.PublishedAt == b.PublishedAt && a.Fields.EqualButNumbers(b.Fields)
}

// DryRun returns what writes together would change, and the content as it would be after
// them, and does nothing. Neither hooks nor the project's own code are asked about the writes.
// An entry that several writes change is in one change. The changes are not stamped. The error is
// a *PartError.
func (w *Writer) DryRun(ctx context.Context, writes []Write) ([]store.Change, *index.Snapshot, error) {
	t := w.begin(w.newGroup())
	var all []store.Change
	at := map[store.Name]int{}
	for i, one := range writes {
		if _, err := t.Do(ctx, one); err != nil {
			return nil, nil, &PartError{Part: i, Err: err}
		}
		for _, c := range t.writes[len(t.writes)-1].changes {
			name := store.Name{Type: c.Type, Key: keyOf(c)}
			if n, known := at[name]; known {
				all[n].After = c.After
				continue
			}
			at[name] = len(all)
			all = append(all, c)
		}
	}
	return all, t.Snapshot(), nil
}

// tentative is the data file with the changes of transactions that are not committed.
type tentative struct {
	db        *store.DB
	below     *tentative // nil for the file itself
	entries   map[store.Name]*store.Entry
	sequences map[string]uint64
}

func (f *tentative) next() *tentative {
	return &tentative{db: f.db, below: f, entries: map[store.Name]*store.Entry{}, sequences: map[string]uint64{}}
}

func (f *tentative) add(op *operation) {
	for _, c := range op.changes {
		if c.Before != nil || c.After != nil {
			f.entries[store.Name{Type: c.Type, Key: keyOf(c)}] = c.After
		}
	}
	for name, last := range op.sequences {
		f.sequences[name] = last
	}
}

// Entry implements [Stored]. An entry that the snapshot has and the file has lost was deleted
// by somebody else.
func (f *tentative) Entry(uid string, k store.Key) (e *store.Entry, err error) {
	for at := f; at != nil; at = at.below {
		if e, ok := at.entries[store.Name{Type: uid, Key: k}]; ok {
			return e, nil
		}
	}
	err = f.db.View(func(tx *store.Tx) error {
		e, err = tx.Entry(uid, k)
		return err
	})
	if err == nil && e == nil {
		err = &OvertakenError{uid, k.DocumentID}
	}
	return e, err
}

// Sequence implements [Stored].
func (f *tentative) Sequence(name string) (last uint64) {
	for at := f; at != nil; at = at.below {
		if last, ok := at.sequences[name]; ok {
			return last
		}
	}
	_ = f.db.View(func(tx *store.Tx) error { // if it fails, the Writer plans something else
		last = tx.Sequence(name)
		return nil
	})
	return last
}
