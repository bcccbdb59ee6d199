package documents

import (
	"context"
	"errors"
	"fmt"

	"quire/auth"
	"quire/content"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// Call is what one caller asks for in one request. All its reads see one snapshot, that of
// the first read, or of the last write of the Call. One goroutine uses it.
type Call struct {
	*Service
	Caller *auth.Caller
	Actor  store.Actor // of writes
	Budget Budget
	V4     bool // respond in the format of Strapi 4

	snapshot *index.Snapshot
}

// Budget limits what one request takes of the server: time, memory, and turns of heavy
// queries.
type Budget interface {
	query.Host

	// Begin starts a query that is expected to cost so much. A heavy query waits for its
	// turn.
	Begin(ctx context.Context, cost int, queries ...*query.Query) error

	// End gives back the turns that Begin and Enter took. Enter is also for something heavy
	// that is not a query.
	End()

	// Parsed is called when the arguments have been parsed.
	Parsed()

	// Observe is called with each query that is about to run, and may record its plan.
	Observe(*query.Query)

	// Wait gives back the turns while a write waits for others outside, and Resume goes on.
	Wait() error
	Resume()

	// Restart gives the request its time for queries anew, after a write.
	Restart()

	// Start begins the time for queries, unless it has begun.
	Start()

	// StillMay returns an error if the caller has lost rights since the request began. A
	// write that had to wait for others calls it.
	StillMay() error
}

// Snapshot returns the moment that the Call sees.
func (c *Call) Snapshot() *index.Snapshot {
	if c.snapshot == nil {
		c.snapshot = c.Index.Snapshot()
	}
	return c.snapshot
}

// Latest makes later reads of the Call see what has been committed by now.
func (c *Call) Latest() { c.snapshot = nil }

// Context returns a context whose writes are those of the caller, with the caller's rights.
func (c *Call) Context(ctx context.Context) context.Context {
	return content.While(content.For(content.By(ctx, c.Actor), c.Caller), c.Budget.StillMay)
}

// Suggested returns a context in which the writes of the caller are recorded as having
// suggestions of a language model in them.
func Suggested(ctx context.Context, model string) context.Context {
	return content.Suggested(ctx, model)
}

// seesDrafts reports whether the caller may know about the drafts of a type, and so about all of
// its documents.
func (c *Call) seesDrafts(t *schema.Type) bool {
	return !t.DraftAndPublish || c.Caller.Allows(t, schema.ReadDraft)
}

// Version returns the version of a document, as the caller may know it; 0 for none. A
// version would reveal to the holder of a preview link that something else was written.
func (c *Call) Version(t *schema.Type, documentID string) uint64 {
	return c.versionAt(c.Snapshot(), t, documentID)
}

func (c *Call) versionAt(s *index.Snapshot, t *schema.Type, documentID string) uint64 {
	if c.Caller.Preview() != nil || c.Caller.Filter(t) != nil && !query.HasDocument(s, c.Caller, t, documentID, content.AllLocales) {
		return 0
	}
	return s.Version(t, documentID, c.seesDrafts(t))
}

// Author returns an author as the caller may see it; nil for an unknown one.
func (c *Call) Author(a store.Actor) *Author { return c.author(c.Caller, a, c.Snapshot()) }

// allow refuses a caller without the permission. The holder of a preview link has none: it
// reads one document, see allowRead.
func (c *Call) allow(t *schema.Type, a schema.Action) error {
	switch {
	case c.Caller.Preview() != nil:
		return previewForbids()
	case !c.Caller.HasPermission(auth.Permission{UID: t.UID, Action: a}):
		return forbidden()
	}
	return nil
}

// allowRead is allow for reads of documents, which preview links give: of a list, of a
// single type, or of one document.
func (c *Call) allowRead(t *schema.Type, a schema.Action, documentID string) error {
	p := c.Caller.Preview()
	if p == nil {
		return c.allow(t, a)
	}
	if t.UID != p.Type || a == schema.FindOne && documentID != p.DocumentID {
		return previewForbids() // without revealing anything about other documents
	}
	if !c.Caller.HasPermission(auth.Permission{UID: t.UID, Action: a}) {
		return forbidden()
	}
	return nil
}

func previewForbids() error {
	return &Problem{Kind: Forbidden, Name: "ForbiddenError", Message: "A preview link reads one document and what it leads to, and nothing else"}
}

// Compile resolves the parameters of a read or of the response to a write.
func (c *Call) Compile(t *schema.Type, tree *params.Node, o query.Options) (*query.Query, error) {
	q, err := c.compile(t, tree, o)
	if err == nil {
		c.Budget.Observe(q)
	}
	return q, err
}

func (c *Call) compile(t *schema.Type, tree *params.Node, o query.Options) (*query.Query, error) {
	if p := c.Caller.Preview(); p != nil {
		o.Document = p.DocumentID
	}
	return c.compiler.Compile(t, tree, c.Caller, o)
}

// locale reads the locale of a write; empty is the default locale. Types that are not
// localized have none.
func (c *Call) locale(t *schema.Type, n *params.Node) (string, error) {
	switch {
	case n == nil || n.IsNull() || !t.Localized:
		return "", nil
	case n.IsText():
		return n.Text, nil
	}
	return "", invalid(`A write takes one locale; "locale" must be a single value`)
}

func (c *Call) checkLocale(code string) error {
	if code == "" || c.Site.Settings.HasLocale(code) {
		return nil
	}
	return invalid(fmt.Sprintf("The site has no locale %q", code))
}

// MayWork reports whether the caller may change or publish a document in a locale.
func (c *Call) MayWork(ctx context.Context, t *schema.Type, documentID, locale string) (bool, error) {
	may := func(a schema.Action) bool { return c.Caller.Allows(t, a) }
	if !may(schema.Update) && !may(schema.UpdateDraft) && !may(schema.Publish) {
		return false, nil
	}
	if c.Caller.Reach(t) == nil {
		return true, nil
	}
	var err error
	for _, action := range []schema.Action{schema.Update, schema.Publish} {
		err = c.Writer.MayChange(c.Context(ctx), t, documentID, []string{locale}, action)
		if _, denied := errors.AsType[*content.ForbiddenError](err); !denied {
			return err == nil, err
		}
	}
	return false, nil
}

// Exists reports whether a document exists for the caller, in any version.
func (c *Call) Exists(t *schema.Type, documentID string) bool {
	return query.HasDocument(c.Snapshot(), c.Caller, t, c.Document(t, documentID), content.AllLocales)
}

// ExistsFor reports whether a version of a document in a locale exists for another caller.
func (c *Call) ExistsFor(access schema.Access, t *schema.Type, documentID, locale string) bool {
	return query.HasDocument(c.Snapshot(), access, t, c.Document(t, documentID), locale)
}

// Document returns the document of a single type, or else the id that was given.
func (c *Call) Document(t *schema.Type, documentID string) string {
	if t.Kind == schema.Single {
		documentID, _ = c.Snapshot().SingleDocument(t)
	}
	return documentID
}
