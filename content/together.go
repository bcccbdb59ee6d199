package content

import (
	"context"
	"errors"
	"slices"
	"time"

	"quire/content/body"
	"quire/index"
	"quire/store"
)

// Write is one of several writes that Together does.
type Write struct {
	plan    plan
	request *Request // whose input is to be prepared; nil for none
	about   matter   // what an Asker is asked about

	sent *body.Input // of the request, once an Asker was asked about it
}

// ToCreate is what Writer.Create does, as one of several writes.
func ToCreate(r Request) Write {
	r.create = true
	return ToUpdate(r)
}

// ToUpdate is what Writer.Update does, as one of several writes.
func ToUpdate(r Request) Write {
	return Write{plan: planOne(func(op *operation) (Result, error) { return op.save(r) }), request: &r, about: r.matter(store.ActionUpdate)}
}

// ToDelete is what Writer.Delete does, as one of several writes.
func ToDelete(r Request) Write {
	return Write{plan: planOne(func(op *operation) (Result, error) { return op.delete(r) }), about: r.matter(store.ActionDelete)}
}

// ToPublish is what Writer.Publish does, as one of several writes.
func ToPublish(s Step) Write {
	return Write{plan: s.with(func(op *operation) ([]Result, error) { return op.publish(s) }), about: s.matter(store.ActionPublish)}
}

// ToUnpublish is what Writer.Unpublish does, as one of several writes.
func ToUnpublish(s Step, discard bool) Write {
	return Write{plan: s.with(func(op *operation) ([]Result, error) { return op.unpublish(s, discard) }), about: s.matter(store.ActionUnpublish).also(discard, "update")}
}

// ToDiscardDraft is what Writer.DiscardDraft does, as one of several writes.
func ToDiscardDraft(s Step) Write {
	return Write{plan: s.with(func(op *operation) ([]Result, error) { return op.discardDraft(s) }), about: s.matter(store.ActionDiscardDraft)}
}

// ToDuplicate is what Writer.Duplicate does, as one of several writes.
func ToDuplicate(s Step) Write {
	return Write{plan: s.with(func(op *operation) ([]Result, error) { return op.duplicate(s) }), about: s.matter(store.ActionDuplicate)}
}

// ToRecord is what Writer.Record does, as one of several writes. It has one result,
// which is empty.
func ToRecord(fn func(tx *store.Tx) error) Write {
	return Write{plan: planOne(func(op *operation) (Result, error) {
		op.beside = append(op.beside, fn)
		return Result{}, nil
	})}
}

// Together does several writes in one transaction, each on what the one before it has
// done: all of them or, when one is refused or fails, none. The results are those of
// each write, in their order; all show the content after the last of them. Where there
// are several, the one that is at fault is named by a *PartError, with the error that it
// has by itself. What bounds the links and the passwords of one write bounds those of
// all of them.
//
// Whoever is to be asked about a write is asked before the first is begun. Where one of
// the documents has changed meanwhile, they are asked again, a few times.
func (w *Writer) Together(ctx context.Context, writes []Write) ([][]Result, error) {
	return w.TogetherIn(ctx, Place{}, writes)
}

// Place is what the caller of TogetherIn takes for its writes, such as a share of what
// the machine can do. It is not held while others are asked about the writes, who may
// take long. An error of one of the functions refuses the writes; nil does nothing.
type Place struct {
	Wait func() error // before others are asked, maybe again: Take has no effect any more
	Take func() error // before the writes queue
}

func (p Place) wait() error {
	if p.Wait == nil {
		return nil
	}
	return p.Wait()
}

func (p Place) take() error {
	if p.Take == nil {
		return nil
	}
	return p.Take()
}

// TogetherIn is Together for writes that need a place.
func (w *Writer) TogetherIn(ctx context.Context, p Place, writes []Write) ([][]Result, error) {
	until := time.Now().Add(longestAsk)
	for try := 1; ; try++ {
		results, err := w.attempt(ctx, p, writes, until)
		overtaken := (*OvertakenError)(nil)
		switch {
		case !errors.As(err, &overtaken):
			return results, err
		case try == askings:
			return nil, overtaken
		}
	}
}

// attempt does the writes once whoever is to be asked about them has been asked.
func (w *Writer) attempt(ctx context.Context, p Place, writes []Write, until time.Time) ([][]Result, error) {
	seen, err := w.ask(ctx, p, writes, until)
	if err == nil {
		err = p.take()
	}
	if err != nil {
		return nil, err
	}
	plans, err := w.plans(ctx, writes)
	if err != nil {
		return nil, err
	}
	return w.submit(ctx, seen.guard(plans)...)
}

// plans prepares the writes.
func (w *Writer) plans(ctx context.Context, writes []Write) ([]plan, error) {
	plans := make([]plan, len(writes))
	var requests []Request
	var parts []int
	for i, one := range writes {
		plans[i] = one.plan
		if one.request != nil {
			requests, parts = append(requests, *one.request), append(parts, i)
		}
	}
	if i, err := w.prepareEach(ctx, requests); err != nil {
		if len(writes) > 1 {
			err = &PartError{parts[i], err}
		}
		return nil, err
	}
	return plans, nil
}

// CreateAll makes documents and, unless to is nil, attaches them there: all of
// this or, when something is refused or fails, nothing. The results are in the
// order of the requests. Errors: as for Create, and *NotFoundError when there is
// nothing to attach to.
func (w *Writer) CreateAll(ctx context.Context, requests []Request, to *Attachment) ([]Result, error) {
	if err := w.prepare(ctx, requests...); err != nil {
		return nil, err
	}
	all := Write{plan: func(op *operation) ([]Result, error) { return op.createAll(requests, to) }, about: to.matter()}
	results, err := w.Together(ctx, []Write{all})
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

func (op *operation) createAll(requests []Request, to *Attachment) (results []Result, err error) {
	for _, r := range requests {
		r.create = true
		result, err := op.save(r)
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	if to != nil {
		a := *to
		a.Files = slices.Clone(to.Files)
		for _, r := range results {
			a.Files = append(a.Files, r.DocumentID)
		}
		err = op.attach(a)
	}
	return results, err
}

// errTried rolls back what Try has done.
var errTried = errors.New("only tried")

// Try does several writes as Together would, and undoes them. It returns what each of
// them is refused for, nil for those that would be done; those behind a refused write
// are tried without it. Other writes wait meanwhile. The error says why nothing could be
// tried; it is one of Create's.
func (w *Writer) Try(ctx context.Context, writes []Write) (refused []error, err error) {
	plans, err := w.plans(ctx, writes)
	if err != nil {
		return nil, err
	}
	alone := w.Alone(ctx, func() (*index.Index, error) {
		err = w.update(func(tx *store.Tx) error {
			refused = w.tryEach(ctx, plans, tx)
			return errTried
		})
		return nil, nil
	})
	if errors.Is(err, errTried) {
		err = nil
	}
	return refused, errors.Join(alone, err)
}

// tryEach carries plans out in a transaction that is to be rolled back. What fails while
// it is applied leaves traces, so those behind it are not tried.
func (w *Writer) tryEach(ctx context.Context, plans []plan, tx *store.Tx) []error {
	edit := w.index().Edit()
	tx.AtEnd(func(bool) { edit.Discard() })
	refused := make([]error, len(plans))
	links := 0
	for i := range plans {
		one := &write{ctx: ctx, plans: plans[i : i+1], before: links}
		begun, err := w.carryOut(one, tx, edit)
		refused[i], links = err, one.links
		if err != nil && begun {
			break
		}
	}
	return refused
}
