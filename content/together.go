package content

import (
	"context"
	"slices"
)

// CreateAll makes documents and, unless to is nil, attaches them there: all of
// this or, when something is refused or fails, nothing. The results are in the
// order of the requests. Errors: as for Create, and *NotFoundError when there is
// nothing to attach to.
func (w *Writer) CreateAll(ctx context.Context, requests []Request, to *Attachment) ([]Result, error) {
	for _, r := range requests {
		if err := w.prepare(r); err != nil {
			return nil, err
		}
	}
	var results []Result
	whole, err := w.submit(ctx, func(op *operation) (_ Result, err error) {
		results, err = op.createAll(requests, to)
		return Result{}, err
	})
	if err != nil {
		return nil, err
	}
	for i := range results {
		results[i].Snapshot = whole.Snapshot
	}
	return results, nil
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
