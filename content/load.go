package content

import (
	"bytes"
	"context"
	"fmt"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// Load is one write for a Loader.
type Load struct {
	Request

	// Line is what the caller calls the write by; nothing here depends on it.
	Line int

	// Err is why the write was refused. A Loader passes over a Load that has
	// one, and sets it.
	Err error
}

// DecodeLoad reads a write from a JSON object:
//
//	{"type": "api::dish.dish", "data": {"name": "Soup"},
//	 "documentId": "…", "locale": "en", "status": "draft"}
//
// Type and data, which is what a body's "data" is, must be there; the rest is as
// in a Request. The result's Err is what is wrong with it.
func DecodeLoad(site *schema.Site, line []byte) *Load {
	one := &Load{}
	one.Err = one.decode(&decoder{site: site}, bytes.TrimSpace(line))
	return one
}

func (one *Load) decode(d *decoder, raw rawValue) error {
	if err := d.readable(raw); err != nil {
		return err
	}
	var data rawValue
	for _, m := range members(raw) {
		if m.key == "data" {
			data = m.value
		} else if err := one.member(d.site, m); err != nil {
			return err
		}
	}
	switch {
	case one.Type == nil:
		return refuse(`it has no "type"`)
	case data == nil || shapeOf(data) != jsonObject:
		return refuse(MissingData)
	}
	fields, err := d.object(one.Type, members(data), path{})
	if err != nil {
		return err
	}
	one.Input = &Input{one.Type, fields}
	return d.found.err()
}

// member reads one of the members beside the data.
func (one *Load) member(site *schema.Site, m member) error {
	if isNull(m.value) {
		return nil
	}
	if shapeOf(m.value) != jsonString {
		return refuse("%q is no text", m.key)
	}
	s := text(m.value)
	switch m.key {
	case "type":
		if one.Type = site.Type(s); one.Type == nil || one.Type.IsComponent() {
			one.Type = nil
			return refuse("there is no content type %q", s)
		}
	case "documentId":
		one.DocumentID = s
	case "locale":
		one.Locale = s
	case "status":
		return one.status(s)
	default:
		return refuse(`%q is unknown; there are "type", "documentId", "locale", "status" and "data"`, m.key)
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
		return refuse(`the status %q is neither "draft" nor "published"`, s)
	}
	return nil
}

// Target is a document, in one locale, that something links to.
type Target struct {
	Type       *schema.Type
	DocumentID string
	Locale     string // empty where the type is not localized
}

// pending gathers the links of one write to documents that have not come yet.
type pending struct {
	targets []Target
	inverse bool // some go through the inverse side, whose owners cannot be written yet
}

func (p *pending) note(a *schema.Attribute, t Target) {
	p.targets = append(p.targets, t)
	p.inverse = p.inverse || isInverse(a)
}

// Loader carries out a great many writes on a data file that nobody else has
// open, such as the copy that an import works on. They obey the rules of a
// Writer, with two differences: a write may link to a document that a later one
// makes, and a write that brings a documentId makes the document or changes the
// one there is.
//
// What it has done is in the file when Finish has returned nil, and some of it
// before. A Loader is used by one goroutine, but for Prepare.
type Loader struct {
	writer *Writer // never started: it lends its rules
	before *index.Snapshot
	edit   *index.Edit // never published: nobody else looks at it
	file   *loadedFile

	promises []promise
	again    []*Load // writes whose inverse links have to be made once all have come
}

// promise is a link to a document that has not come yet.
type promise struct {
	load *Load
	to   Target
}

// NewLoader returns a Loader of what db holds.
func NewLoader(db *store.DB, site *schema.Site, o WriterOptions) (*Loader, error) {
	var x *index.Index
	err := db.View(func(tx *store.Tx) (err error) {
		x, err = index.Build(site, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Loader{writer: newWriter(db, x, site, o), before: x.Snapshot(), edit: x.Edit(), file: newLoadedFile(db)}, nil
}

// Existed reports whether a write is about a document that was there before the
// first Load.
func (l *Loader) Existed(r Request) bool {
	if r.Type.Kind == schema.Single {
		_, ok := l.before.SingleDocument(r.Type)
		return ok
	}
	return r.DocumentID != "" && len(l.before.Versions(r.Type, r.DocumentID)) > 0
}

// Prepare does what of a write needs no content and takes long. It may be called
// from several goroutines, before the write is loaded.
func (l *Loader) Prepare(r Request) error { return l.writer.hashPasswords(r) }

// Load carries out a write. If it is refused, its Err is set and nothing else
// happens. When the write waits for others to come, Finish may still set its Err.
// The error is one of the store, or a defect; then the Loader is of no more use.
func (l *Loader) Load(one *Load) (waits bool, err error) {
	p := &pending{}
	written, err := l.write(one, p)
	if err != nil || one.Err != nil {
		return false, err
	}
	for _, t := range p.targets {
		l.promises = append(l.promises, promise{one, t})
	}
	if p.inverse {
		one.DocumentID, one.Locale = written.DocumentID, written.Locale
		one.Input = inverseLinks(one.Input)
		l.again = append(l.again, one)
	} else {
		one.Input = nil // which may be large, and a promise keeps the rest
	}
	return len(p.targets) > 0, nil
}

// inverseLinks is the part of an input that goes through inverse sides.
func inverseLinks(in *Input) *Input {
	rest := &Input{Type: in.Type}
	for _, g := range in.fields {
		if isInverse(g.attribute) {
			rest.fields = append(rest.fields, g)
		}
	}
	return rest
}

// write plans a write and carries it out. With p, it may link to documents that
// are still to come.
func (l *Loader) write(one *Load, p *pending) (Result, error) {
	if one.Err != nil {
		return Result{}, nil
	}
	op := l.writer.operation(nil, l.edit.Snapshot())
	op.file, op.sequences, op.pending = l.file, l.file.sequences, p
	r := one.Request
	r.create = r.DocumentID == ""
	r.either = !r.create
	w := write{ctx: context.Background(), plan: func(op *operation) (Result, error) { return op.save(r) }}
	if one.Err = w.planned(op); one.Err != nil {
		return Result{}, nil
	}
	if err := l.apply(op.changes); err != nil {
		return Result{}, fmt.Errorf("%s %s: %w", r.Type.UID, w.result.DocumentID, err)
	}
	return w.result, nil
}

func (l *Loader) apply(changes []store.Change) (err error) {
	defer recovered(&err)
	for _, c := range changes {
		if err := l.edit.Apply(c); err != nil {
			return err
		}
	}
	return l.file.apply(changes)
}

// Finish makes the links that had to wait and the file complete. Writes that
// link to a document that never came get an Err; what they wrote besides is in
// the file.
func (l *Loader) Finish() error {
	for _, p := range l.promises {
		if p.load.Err == nil && !l.has(p.to) {
			p.load.Err = notLinked(p.to.DocumentID, p.to.Locale)
		}
	}
	for _, one := range l.again {
		if _, err := l.write(one, nil); err != nil {
			return err
		}
	}
	l.promises, l.again = nil, nil
	return l.file.close()
}

// Close ends a Loader before its time. After Finish it does nothing.
func (l *Loader) Close() { _ = l.file.close() }

// has reports whether a document has a version in the locale.
func (l *Loader) has(t Target) bool {
	k := store.Key{DocumentID: t.DocumentID, Locale: t.Locale, Status: store.Published}
	if l.edit.Snapshot().Exists(t.Type, k) {
		return true
	}
	k.Status = store.Draft
	return l.edit.Snapshot().Exists(t.Type, k)
}
