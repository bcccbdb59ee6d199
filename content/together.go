package content

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"quire/content/body"
	"quire/index"
	"quire/store"
)

// Write is one of the writes that Together does.
type Write struct {
	plan    plan
	request *Request // whose input has to be prepared; nil for none
	step    *Step    // that requests no new content; nil for none
	about   matter   // what an Asker is asked about

	sent *body.Input // the input of the request, if an Asker was asked about it
}

// SetsPassword reports whether the write gives a password.
func (one *Write) SetsPassword() bool {
	if one.request == nil {
		return false
	}
	passwords, _, err := passwordsOf([]Request{*one.request})
	return err != nil || passwords != nil
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
	return Write{plan: planOne(func(op *operation) (Result, error) { return op.delete(r) }), request: &r, about: r.matter(store.ActionDelete)}
}

// ToPublish is what Writer.Publish does, as one of several writes.
func ToPublish(s Step) Write {
	return Write{plan: s.with(func(op *operation) ([]Result, error) { return op.publish(s) }), step: &s, about: s.matter(store.ActionPublish)}
}

// ToUnpublish is what Writer.Unpublish does, as one of several writes.
func ToUnpublish(s Step, discard bool) Write {
	return Write{plan: s.with(func(op *operation) ([]Result, error) { return op.unpublish(s, discard) }), step: &s, about: s.matter(store.ActionUnpublish).also(discard, "update")}
}

// ToDiscardDraft is what Writer.DiscardDraft does, as one of several writes.
func ToDiscardDraft(s Step) Write {
	return Write{plan: s.with(func(op *operation) ([]Result, error) { return op.discardDraft(s) }), step: &s, about: s.matter(store.ActionDiscardDraft)}
}

// ToDuplicate is what Writer.Duplicate does, as one of several writes.
func ToDuplicate(s Step) Write {
	s.Copy = cmp.Or(s.Copy, NewDocumentID())
	return Write{plan: s.with(func(op *operation) ([]Result, error) { return op.duplicate(s) }), step: &s, about: s.matter(store.ActionDuplicate)}
}

// ToRecord is what Writer.Record does, as one of several writes. It has one result,
// which is empty.
func ToRecord(fn func(tx *store.Tx) error) Write {
	return Write{plan: planOne(func(op *operation) (Result, error) {
		op.beside = append(op.beside, fn)
		return Result{}, nil
	})}
}

// Together does several writes in one transaction, each on the result of the one before
// it. If one is refused or fails, it does none. The results are those of each write, in
// their order, and all show the content after the last write. If there are several
// writes, the error is a *PartError, which names the one that failed. The limits on the
// links and the passwords of one write apply to all of them together.
//
// Hooks are asked about all writes before the first one begins. If one of the documents
// changes meanwhile, they are asked again, a few times.
func (w *Writer) Together(ctx context.Context, writes []Write) ([][]Result, error) {
	return w.TogetherIn(ctx, Reservation{}, writes)
}

// Reservation is what the caller of TogetherIn reserves for its writes, such as a share of the
// processors. It is not held while hooks are asked about the writes, because that may
// take long. An error of one of the functions refuses the writes. A nil function does
// nothing.
type Reservation struct {
	Wait func() error // called before hooks are asked, possibly again; it undoes Take
	Take func() error // called before the writes queue
}

func (p Reservation) wait() error {
	if p.Wait == nil {
		return nil
	}
	return p.Wait()
}

func (p Reservation) take() error {
	if p.Take == nil {
		return nil
	}
	return p.Take()
}

// TogetherIn is Together for writes that need a place.
func (w *Writer) TogetherIn(ctx context.Context, p Reservation, writes []Write) ([][]Result, error) {
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

// attempt asks about the writes, and does them.
func (w *Writer) attempt(ctx context.Context, p Reservation, writes []Write, until time.Time) ([][]Result, error) {
	seen, err := w.ask(ctx, p, writes, until)
	switch {
	case err == nil && w.isCoded(writes):
		return w.throughCode(ctx, p, writes, seen)
	case err == nil:
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

// CreateAll creates documents and, unless to is nil, attaches them to an entry. If
// something is refused or fails, it does nothing. The results are in the order of the
// requests. Errors: as for Create, and *NotFoundError if the entry does not exist.
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

// errTried rolls back the writes of Try.
var errTried = errors.New("only tried")

// Try does several writes as Together would, and undoes them. It returns the error that
// refuses each of them, or nil. The writes after a refused one are tried without it.
// Other writes wait meanwhile. err says why nothing could be tried; it is one of
// Create's errors.
func (w *Writer) Try(ctx context.Context, writes []Write) (refused []error, err error) {
	plans, err := w.plans(ctx, writes)
	if err != nil {
		return nil, err
	}
	alone := w.Alone(ctx, func() (*index.Index, error) {
		err = w.update(func(tx *store.Tx) error {
			edit := w.index().Edit()
			tx.AtEnd(func(bool) { edit.Discard() })
			refused = make([]error, len(plans))
			links := 0
			for i := range plans {
				one := &write{ctx: ctx, plans: plans[i : i+1], before: links}
				begun, err := w.carryOut(one, tx, edit)
				refused[i], links = err, one.links
				if err != nil && begun {
					break // it has left traces, so the ones after it are not tried
				}
			}
			return errTried // rolls everything back
		})
		return nil, nil
	})
	if errors.Is(err, errTried) {
		err = nil
	}
	return refused, errors.Join(alone, err)
}
