package bulk

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Load is one write for a Loader.
type Load struct {
	content.Request

	// Line is the caller's name of the write; nothing here depends on it.
	Line int

	// Err is why the write was refused. A Loader skips a Load that has one, and sets it.
	Err error
}

// DecodeLoad reads a write from a JSON object:
//
//	{"type": "api::dish.dish", "data": {"name": "Soup"},
//	 "documentId": "…", "locale": "en", "status": "draft"}
//
// Type and data are required, and data has the form of a body's "data"; the rest is as in a
// Request. The result's Err is the error of the line.
func DecodeLoad(site *schema.Site, line []byte) *Load {
	one := &Load{}
	one.Err = one.decode(site, line)
	return one
}

func (one *Load) decode(site *schema.Site, line []byte) error {
	raw, err := body.Readable(site, line)
	if err != nil {
		return err
	}
	var data body.JSON
	for _, m := range raw.Members() {
		if m.Key == "data" {
			data = m.Value
		} else if err := one.member(site, m); err != nil {
			return err
		}
	}
	switch {
	case one.Type == nil:
		return body.Refuse(`it has no "type"`)
	case data == nil || !data.IsObject():
		return body.Refuse(body.MissingData)
	}
	one.Input, err = body.DecodeUnbounded(site, one.Type, data)
	return err
}

// member reads one of the members other than the data.
func (one *Load) member(site *schema.Site, m body.Member) error {
	if m.Value.IsNull() {
		return nil
	}
	s, ok := m.Value.Text()
	if !ok {
		return body.Refuse("%q is not a text", m.Key)
	}
	switch m.Key {
	case "type":
		if one.Type = site.Type(s); one.Type == nil || one.Type.IsComponent() {
			one.Type = nil
			return body.Refuse("there is no content type %q", s)
		}
	case "documentId":
		one.DocumentID = s
	case "locale":
		one.Locale = s
	case "status":
		return one.status(s)
	default:
		return body.Refuse(`%q is unknown; there are "type", "documentId", "locale", "status" and "data"`, m.Key)
	}
	return nil
}

func (one *Load) status(s string) error {
	switch s {
	case "draft":
		one.Status = store.Draft
	case "published":
		one.Status = store.Published
	default:
		return body.Refuse(`the status %q is neither "draft" nor "published"`, s)
	}
	return nil
}

// Loader carries out a great many writes on a data file that nobody else has open, for
// example the copy that an import works on. The rules of a Writer apply, with two
// differences: a write may link to a document that a later one creates, and a write with a
// documentId creates the document or changes the existing one.
//
// Its work is in the file when Finish has returned nil. Only one goroutine may use a
// Loader, except for Prepare.
type Loader struct {
	planner *content.Planner
	before  *index.Snapshot
	edit    *index.Edit // never published: nobody else reads it
	file    *loadedFile

	promises []promise
	again    []*Load // writes whose inverse links must be made at the end
}

// promise is a link to a document that has not been loaded yet.
type promise struct {
	load *Load
	to   content.Target
}

// NewLoader returns a Loader for the content of db.
func NewLoader(db *store.DB, site *schema.Site, o content.WriterOptions) (*Loader, error) {
	var x *index.Index
	err := db.View(func(tx *store.Tx) (err error) {
		x, err = index.BuildPart(site, tx, content.PlansReadValues)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Loader{planner: content.NewPlanner(site, o), before: x.Snapshot(), edit: x.Edit(), file: newLoadedFile(db, site)}, nil
}

// Existed reports whether a write is about a document that existed before the first Load.
func (l *Loader) Existed(r content.Request) bool {
	if r.Type.Kind == schema.Single {
		_, ok := l.before.SingleDocument(r.Type)
		return ok
	}
	return r.DocumentID != "" && len(l.before.Versions(r.Type, r.DocumentID)) > 0
}

// Prepare does the slow part of a write that needs no content. It may be called from
// several goroutines, before the write is loaded.
func (l *Loader) Prepare(ctx context.Context, r content.Request) error {
	return l.planner.HashPasswords(ctx, r)
}

// Load carries out a write. If it is refused, its Err is set and nothing else happens. If
// the write waits for others, Finish may still set its Err. The error is one of the store,
// or a defect; then the Loader cannot be used any more.
func (l *Loader) Load(one *Load) (waits bool, err error) {
	p := &content.Pending{}
	written, err := l.write(one, p)
	if err != nil || one.Err != nil {
		return false, err
	}
	for _, t := range p.Targets {
		l.promises = append(l.promises, promise{one, t})
	}
	if p.Inverse {
		one.DocumentID, one.Locale = written.DocumentID, written.Locale
		one.Input = inverseLinks(one.Input)
		l.again = append(l.again, one)
	} else {
		one.Input = nil // it may be large, and a promise keeps the rest
	}
	return len(p.Targets) > 0, nil
}

// inverseLinks returns the part of an input that goes through inverse sides.
func inverseLinks(in *body.Input) *body.Input {
	rest := &body.Input{Type: in.Type}
	for _, g := range in.Given {
		if g.Attribute.IsInverse() {
			rest.Given = append(rest.Given, g)
		}
	}
	return rest
}

// write plans a write and carries it out. With p, it may link to documents that are loaded
// later.
func (l *Loader) write(one *Load, p *content.Pending) (content.Result, error) {
	if one.Err != nil {
		return content.Result{}, nil
	}
	plan, err := l.planner.Plan(one.Request, l.file, l.edit.Snapshot(), p)
	if err != nil {
		one.Err = err
		return content.Result{}, nil
	}
	maps.Copy(l.file.sequences, plan.Sequences)
	if err := l.apply(plan.Changes); errors.As(err, new(*store.WriteError)) {
		return content.Result{}, err // unrelated to the document that is loaded at that moment
	} else if err != nil {
		return content.Result{}, fmt.Errorf("%s %s: %w", one.Type.UID, plan.Result.DocumentID, err)
	}
	return plan.Result, nil
}

func (l *Loader) apply(changes []store.Change) (err error) {
	defer content.CatchPanic(&err)
	for _, c := range changes {
		if err := l.edit.Apply(c); err != nil {
			return err
		}
	}
	return l.file.apply(changes)
}

// Finish makes the links that had to wait and completes the file. Writes that link to a
// document that was never loaded get an Err; the rest of them is in the file.
func (l *Loader) Finish() error {
	for _, p := range l.promises {
		if p.load.Err == nil && !l.has(p.to) {
			p.load.Err = p.to.NotFound()
		}
	}
	for _, one := range l.again {
		if _, err := l.write(one, nil); err != nil {
			return err
		}
	}
	l.promises, l.again = nil, nil
	return l.file.finish()
}

// Close ends a Loader early. After Finish it does nothing.
func (l *Loader) Close() { l.file.close() }

// has reports whether a document has a version in the locale.
func (l *Loader) has(t content.Target) bool {
	k := store.Key{DocumentID: t.DocumentID, Locale: t.Locale, Status: store.Published}
	if l.edit.Snapshot().Exists(t.Type, k) {
		return true
	}
	k.Status = store.Draft
	return l.edit.Snapshot().Exists(t.Type, k)
}
