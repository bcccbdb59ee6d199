package content

import (
	"context"
	"time"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Planner plans writes by the rules of a site, and carries none of them out. A
// Writer has one of its own. Whoever has a data file for itself, such as an import,
// makes one and applies the plans.
type Planner struct {
	site     *schema.Site
	defaults defaults
	hash     func(context.Context, string) (string, error)
	now      func() time.Time
}

// NewPlanner returns a Planner. Of the options, those count that are no batch's.
func NewPlanner(site *schema.Site, o WriterOptions) *Planner {
	p := &Planner{site: site, defaults: defaultsOf(site), hash: o.HashPassword, now: o.Now}
	if p.now == nil {
		p.now = time.Now
	}
	return p
}

// PlansReadValues reports whether plans look at the values of an attribute in the content
// that they are made against: at links and components, and at what must be unique. The
// others may be null there, see [index.BuildPart]; but for the folders of files.
func PlansReadValues(a *schema.Attribute) bool { return a.Unique || !a.IsScalar() }

// Plan is a write that was accepted and is still to be applied, as a whole.
type Plan struct {
	Result    Result // without a Snapshot
	Changes   []store.Change
	Sequences map[string]uint64 // where they stand after it, those that it took numbers from
}

// Stored is the content that a plan reads beside the snapshot.
type Stored interface {
	Entry(uid string, k store.Key) (*store.Entry, error)
	Sequence(name string) uint64
}

// Pending takes the links of a write to documents that have not come yet.
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
	Locale     string // empty where the type is not localized
}

// NotFound is the error about a link to a document that does not exist.
func (t Target) NotFound() error {
	locale := t.Locale
	if locale == "" {
		locale = "null"
	}
	return body.Refuse("Document with id %q, locale %q not found", t.DocumentID, locale)
}

// HashPasswords replaces the passwords that a request gives by their hashes, which
// takes long and needs no content. Plan demands that it was done.
func (p *Planner) HashPasswords(ctx context.Context, r Request) error {
	_, err := p.hashPasswords(ctx, r)
	return err
}

// Plan plans a write: without a DocumentID it makes a document, otherwise it makes
// that document or changes the one there is. With pending, it may link to documents
// that are still to come. Errors: those of [Writer.Create] but the context's, and
// *PanicError.
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

// Duplicates reports the values of an entry that must be unique and that another document
// has too, as [Writer.Create] would refuse them. taken says which those are: values at the
// end of a way of attributes, outermost first.
func Duplicates(site *schema.Site, t *schema.Type, e *store.Entry, taken func(way []*schema.Attribute, v store.Value) bool) []body.Issue {
	u := uniqueness{site: site, taken: taken, own: map[ownValue]bool{}}
	u.fields(e.Fields, t.Attributes, nil, body.Path{})
	return u.found
}
