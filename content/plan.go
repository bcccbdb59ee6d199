package content

import (
	"context"
	"time"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Planner plans writes by the rules of a site, and carries none of them out. A Writer has
// its own. Code with exclusive access to a data file, such as an import, makes one and
// applies the plans.
type Planner struct {
	site     *schema.Site
	defaults defaults
	hash     func(context.Context, string) (string, error)
	now      func() time.Time
}

// NewPlanner returns a Planner. It ignores the options for batches.
func NewPlanner(site *schema.Site, o WriterOptions) *Planner {
	p := &Planner{site: site, defaults: defaultsOf(site), hash: o.HashPassword, now: o.Now}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// PlansReadValues reports whether plans read the values of an attribute in the content:
// links, components, and unique values. Other values may be null there, see
// [index.BuildPart], except in folders of files.
func PlansReadValues(a *schema.Attribute) bool { return a.Unique || !a.IsScalar() }

// Plan is a write that was accepted and not applied yet.
type Plan struct {
	Result    Result // without a Snapshot
	Changes   []store.Change
	Sequences map[string]uint64 // where they stand after it, those that it took numbers from
}

// Stored is the content that a plan reads in addition to the snapshot.
type Stored interface {
	Entry(uid string, k store.Key) (*store.Entry, error)
	Sequence(name string) uint64
}

// Pending collects the links of a write to documents that follow later.
type Pending struct {
	Targets []Target
	Inverse bool // some go through the inverse side, whose owners cannot be written yet
}

func (p *Pending) note(a *schema.Attribute, t Target) {
	p.Targets = append(p.Targets, t)
	p.Inverse = p.Inverse || a.IsInverse()
}

// Target is a document, in one locale, that something links to.
type Target struct {
	Type       *schema.Type
	DocumentID string
	Locale     string // empty if the type is not localized
}

// NotFound is the error about a link to a document that does not exist.
func (t Target) NotFound() error {
	locale := t.Locale
	if locale == "" {
		locale = "null"
	}
	return body.Refuse("Document with id %q, locale %q not found", t.DocumentID, locale)
}

// HashPasswords replaces the passwords in a request with their hashes, which takes long and
// needs no content. It must be called before Plan.
func (p *Planner) HashPasswords(ctx context.Context, r Request) error {
	_, err := p.hashPasswords(ctx, r)
	return err
}

// Plan plans a write: without a DocumentID it creates a document, otherwise it creates that
// document or changes the existing one. With pending, it may link to documents that follow
// later. Errors: those of [Writer.Create] except the context's, and *PanicError.
func (p *Planner) Plan(r Request, file Stored, content *index.Snapshot, pending *Pending) (plan *Plan, err error) {
	defer CatchPanic(&err)
	op := p.operation(file, content, p.now())
	op.pending = pending
	r.create = r.DocumentID == ""
	r.either = !r.create
	result, err := op.save(r)
	if err != nil {
		return nil, err
	}
	return &Plan{result, op.changes, op.sequences}, nil
}

// Duplicates reports the unique values of an entry that another document has too, as
// [Writer.Create] would refuse them. taken reports whether another document has a value at
// the end of a path of attributes, outermost first.
func Duplicates(site *schema.Site, t *schema.Type, e *store.Entry, taken func(way []*schema.Attribute, v store.Value) bool) []body.Issue {
	u := uniqueness{site: site, taken: taken, own: map[ownValue]bool{}}
	u.fields(e.Fields, t.Attributes, nil, body.Path{})
	return u.found
}
