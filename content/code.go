package content

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// A project's own code takes part in writes: it can change their data, refuse them, and do
// other writes that belong to them. All that one write comes to is one Transaction.

// Code is a project's own code.
type Code interface {
	// Handles reports whether the code takes part in writes of a type.
	Handles(t *schema.Type) bool

	// Write lets the code carry out a task: it calls Do of the transaction for the writes
	// that the task comes to. It returns the documentId of the result, which may be empty.
	Write(ctx context.Context, t *Transaction, task Task) (documentID string, err error)
}

// Task is a write that a project's own code carries out.
type Task struct {
	Action     store.Action // create, update, delete, publish, unpublish, discard-draft or duplicate
	Type       *schema.Type
	DocumentID string   // of an existing document; empty for a create
	Locales    []string // empty for the default one; AllLocales alone for all
	Status     store.Status
	Discard    bool            // whether an unpublish discards the draft
	Data       json.RawMessage // the object that was sent; nil for an action without data
}

// SetCode sets the project's own code; nil for none.
func (w *Writer) SetCode(c Code) { w.code.Store(&c) }

// isCoded reports whether the project's own code takes part in one of the writes.
func (w *Writer) isCoded(writes []Write) bool {
	code := w.code.Load()
	return code != nil && *code != nil && slices.ContainsFunc(writes, func(one Write) bool { return one.isCoded(*code) })
}

func (one *Write) isCoded(code Code) bool {
	return (one.request != nil || one.step != nil) && code.Handles(one.about.t)
}

// throughCode does writes together, those of the types that the code handles by the code.
func (w *Writer) throughCode(ctx context.Context, p Reservation, writes []Write, seen views) ([][]Result, error) {
	if err := p.wait(); err != nil {
		return nil, err
	}
	code := *w.code.Load()
	for i := range writes {
		one := &writes[i]
		if one.sent == nil && one.request != nil {
			one.sent = one.request.Input
		}
		if one.request != nil && !one.isCoded(code) {
			if err := w.prepare(ctx, *one.request); err != nil {
				return nil, inPart(len(writes), i, err)
			}
		}
	}
	var parts []donePart
	committed, err := w.Transact(ctx, func(ctx context.Context, t *Transaction) error {
		parts = parts[:0]
		if seen != nil {
			t.Read(func(now *index.Snapshot) bool { return seen.overtaken(now) == nil })
		}
		for i := range writes {
			one, err := t.carry(ctx, code, &writes[i])
			if err != nil {
				return inPart(len(writes), i, err)
			}
			parts = append(parts, one)
		}
		if err := stillMay(ctx); err != nil {
			return err
		}
		return p.take()
	})
	if err != nil {
		return nil, err
	}
	return w.resultsOf(parts, committed), nil
}

// donePart is one of several writes that a transaction has done.
type donePart struct {
	results     []Result // as the transaction saw them
	first, last int      // its writes in the transaction
}

// carry does one write in the transaction.
func (t *Transaction) carry(ctx context.Context, code Code, one *Write) (done donePart, err error) {
	t.mu.Lock()
	done.first = len(t.writes)
	t.mu.Unlock()
	if one.isCoded(code) {
		done.results, err = t.carryByCode(ctx, code, one)
	} else {
		t.mu.Lock()
		done.results, err = t.do(ctx, *one)
		t.mu.Unlock()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	done.last = len(t.writes)
	return done, err
}

func (t *Transaction) carryByCode(ctx context.Context, code Code, one *Write) ([]Result, error) {
	t.mu.Lock()
	task := t.task(one)
	from := len(t.writes)
	t.origin = &origin{ctx: ctx, write: one, task: task}
	t.mu.Unlock()
	documentID, err := code.Write(ctx, t, task)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.origin = nil
	if err != nil {
		return nil, err
	}
	return t.resultOf(task, documentID, t.writes[from:])
}

// task describes a write to the code.
func (t *Transaction) task(one *Write) Task {
	task := Task{Action: one.about.action, Type: one.about.t, DocumentID: one.about.documentID, Locales: slices.DeleteFunc(slices.Clone(one.about.locales), func(l string) bool { return l == "" })}
	if task.Type.Kind == schema.Single && task.DocumentID == "" {
		task.DocumentID, _ = t.shown.SingleDocument(task.Type)
	}
	if one.step != nil {
		task.Discard = slices.Contains(one.about.further, "update")
		return task
	}
	task.Status = one.request.Status
	if one.sent != nil && one.sent.Sent().IsObject() {
		task.Data = json.RawMessage(one.sent.Sent().JSON())
	}
	if task.Action == store.ActionUpdate && (one.request.create || len(t.shown.Versions(task.Type, task.DocumentID)) == 0 && task.Type.Kind == schema.Single) {
		task.Action = store.ActionCreate
	}
	return task
}

// resultOf returns the result of a task: what the code has written of its document. A result
// that was published counts more than the draft before it.
func (t *Transaction) resultOf(task Task, documentID string, writes []prepared) ([]Result, error) {
	var found []Result
	created := false
	for _, one := range writes {
		if one.about != task.Type || len(one.results) == 0 || documentID != "" && one.results[0].DocumentID != documentID {
			continue
		}
		created = created || one.results[0].Created
		found = one.results
		documentID = found[0].DocumentID
	}
	if found == nil && task.Action == store.ActionDelete {
		return []Result{{DocumentID: task.DocumentID}}, nil
	}
	if found == nil {
		return nil, &ApplicationError{"The project's code did not write the document"}
	}
	found = slices.Clone(found)
	found[0].Created = created
	return found, nil
}

// resultsOf returns the results of all parts, with what the commit has made of them.
func (w *Writer) resultsOf(parts []donePart, committed [][]Result) [][]Result {
	results := make([][]Result, len(parts))
	var now *index.Snapshot
	for _, done := range committed {
		if len(done) > 0 {
			now = done[0].Snapshot
		}
	}
	if now == nil {
		now = w.index().Snapshot()
	}
	for i, p := range parts {
		results[i] = p.results
		for j := range p.results {
			r := &p.results[j]
			r.Snapshot = now
			for _, done := range committed[min(p.first, len(committed)):min(p.last, len(committed))] {
				if k := slices.IndexFunc(done, func(d Result) bool { return d.DocumentID == r.DocumentID && d.Locale == r.Locale }); k >= 0 {
					r.Version = done[k].Version
				}
			}
		}
	}
	return results
}

// origin is the write from outside that the code is about to carry out.
type origin struct {
	ctx   context.Context // of the caller
	write *Write
	task  Task
	done  bool // whether it has been claimed
}

// claim gives a write by the code of the document that the caller writes the rights of the
// caller, and the first one its conditions and what belongs beside it. Other writes by the
// code have the rights of the site's owner.
func (o *origin) claim(ctx context.Context, one *Write) context.Context {
	if o == nil || one.about.t != o.task.Type {
		return ctx
	}
	creates := !o.done && one.request != nil && one.request.create && o.task.Action == store.ActionCreate
	if one.about.documentID != o.task.DocumentID && !creates {
		return ctx
	}
	if !o.done {
		o.done = true
		o.give(one)
	}
	return o.ctx
}

// give adds what the write from outside asks for beside its data.
func (o *origin) give(one *Write) {
	switch from := o.write; {
	case one.request != nil && from.request != nil:
		if from.request.create && from.request.DocumentID == "" {
			from.request.DocumentID = NewDocumentID()
		}
		o.task.DocumentID = from.request.DocumentID
		one.request.DocumentID, one.request.create, one.request.either = from.request.DocumentID, from.request.create, from.request.either
		one.request.Match, one.request.Beside = from.request.Match, from.request.Beside
	case one.step != nil && from.step != nil:
		one.step.Match, one.step.Access, one.step.Copy, one.step.Beside = from.step.Match, from.step.Access, from.step.Copy, from.step.Beside
		one.plan = one.step.with(one.plan)
	}
}

// inPart names the refused write among several.
func inPart(of, i int, err error) error {
	if of == 1 || errors.As(err, new(*OvertakenError)) {
		return err
	}
	return &PartError{i, err}
}

// Owned decodes data that a project's own code writes, which may set every attribute.
func (w *Writer) Owned(t *schema.Type, data json.RawMessage) (*body.Input, error) {
	return body.Decode(w.planner.site, t, data, nil)
}
