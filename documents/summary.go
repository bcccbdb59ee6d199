package documents

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
)

// Summary is what a list of documents of several types shows of one document, in one locale.
type Summary struct {
	Type       *schema.Type
	DocumentID string
	Locale     string // empty if the type is not localized
	Title      string // the main field
	Status     string // see query.State
	Updated    int64  // in milliseconds since 1970
	Version    uint64 // of the document
}

// Summary reads one document, with its drafts; nil if the caller may not see it. An empty
// locale is the default one.
func (c *Call) Summary(ctx context.Context, t *schema.Type, documentID, locale string) (found *Summary, err error) {
	q, main, err := c.compileSummary(t, t.ReadOne(), localeOr(nil, locale))
	if err != nil {
		return nil, err
	}
	if err := c.Budget.Begin(ctx, q.CostOfOne(c.Snapshot()), q); err != nil {
		return nil, err
	}
	defer c.Budget.End()
	_, err = q.One(ctx, c.Snapshot(), c.Document(t, documentID), func(e query.Entry) { found = c.summary(t, main, e) })
	return found, err
}

// Titled reads documents of a collection in any locale by their titles: first those with the
// words of a text, as a search finds them, then those in which the text is a part of a word, the
// last changed first. A document may be there several times, and more than most may be.
func (c *Call) Titled(ctx context.Context, t *schema.Type, text string, most int) (list []*Summary, err error) {
	if err := c.allow(t, schema.Find); err != nil {
		return nil, err
	}
	main := t.Title(c.Caller.Sight(t).Sees)
	if main.System != schema.NotSystem {
		return nil, nil // nothing that one would type
	}
	page := (*params.Node)(nil).With("pagination", number("limit", most).WithText("withCount", "false"))
	page, _ = c.summarized(t, localeOr(page, "*"))
	s, err := c.compileSearch(t, page.WithText("q", text))
	if err != nil {
		return nil, err
	}
	add := func(e query.Entry) { list = append(list, c.summary(t, main, e)) }
	if s.Within(main) {
		err := c.reading(ctx, s.Query(), s.Cost(c.Snapshot(), c.Site.Settings.Limits.HeavyCost), func() error { return s.Each(ctx, c.Snapshot(), add) })
		if _, noMemory := errors.AsType[*index.MemoryError](err); err != nil && !noMemory || len(list) >= most {
			return list, err
		}
	}
	contains := page.With("filters", (*params.Node)(nil).With(main.Name, (*params.Node)(nil).WithText("$containsi", text)))
	q, err := c.Compile(t, contains.WithText("sort", "updatedAt:desc"), query.Options{})
	if err != nil {
		return nil, err
	}
	return list, c.reading(ctx, q, q.Cost(c.Snapshot(), c.Site.Settings.Limits.HeavyCost), func() error { return q.Each(ctx, c.Snapshot(), add) })
}

// reading runs a query within the limits of the request.
func (c *Call) reading(ctx context.Context, q *query.Query, cost int, run func() error) error {
	if err := c.Budget.Begin(ctx, cost, q); err != nil {
		return err
	}
	defer c.Budget.End()
	return run()
}

// compileSummary compiles the query for the summary of one document.
func (c *Call) compileSummary(t *schema.Type, action schema.Action, tree *params.Node) (q *query.Query, main *schema.Attribute, err error) {
	if err := c.allow(t, action); err != nil {
		return nil, nil, err
	}
	tree, main = c.summarized(t, tree)
	q, err = c.Compile(t, tree, query.Options{})
	return q, main, err
}

// summarized adds to parameters what summaries show.
func (c *Call) summarized(t *schema.Type, tree *params.Node) (_ *params.Node, main *schema.Attribute) {
	main = t.Title(c.Caller.Sight(t).Sees)
	fields := []string{"updatedAt"}
	if main.System == schema.NotSystem {
		fields = append(fields, main.Name)
	}
	tree = tree.WithText("include", "state").WithText("fields", strings.Join(fields, ","))
	if t.DraftAndPublish {
		tree = tree.WithText("status", "draft")
	}
	return tree, main
}

func (c *Call) summary(t *schema.Type, main *schema.Attribute, e query.Entry) *Summary {
	s := &Summary{Type: t, DocumentID: e.DocumentID(), Title: e.Text(main), Version: c.Version(t, e.DocumentID())}
	if t.Localized {
		s.Locale = e.Locale()
	}
	for _, state := range e.States() {
		if state.Locale == s.Locale {
			s.Status, s.Updated = state.Status, state.Updated
		}
	}
	return s
}

// States returns the states of a document in all its locales; none if there is no such
// document, or if the caller may not see it.
func (c *Call) States(ctx context.Context, t *schema.Type, documentID string) (states []query.State, err error) {
	if err := c.allow(t, t.ReadOne()); err != nil {
		return nil, err
	}
	statuses := []string{"published"}
	if t.DraftAndPublish {
		statuses = []string{"draft", "published"}
	}
	for _, status := range statuses {
		q, err := c.compileRead(t, Arguments{Text: "include=state&fields=documentId&locale=*&status=" + status}, nil)
		if err != nil {
			return nil, err
		}
		if err := c.Budget.Begin(ctx, q.CostOfOne(c.Snapshot()), q); err != nil {
			return nil, err
		}
		found, err := q.One(ctx, c.Snapshot(), c.Document(t, documentID), func(e query.Entry) { states = e.States() })
		c.Budget.End()
		if found || err != nil {
			return states, err
		}
	}
	return nil, nil
}

// Whole is a version of a document as an editor needs it.
type Whole struct {
	JSON   []byte         // the entry, with all that belongs to it; nil if there is no such version
	Counts map[string]int // number of links of the relations that the edited version does not show completely
}

// mostShown is the maximum number of links of one relation in populate[*]=whole.
const mostShown = 1000

// Whole reads a version of a document, in one locale.
func (c *Call) Whole(ctx context.Context, t *schema.Type, documentID, locale, status string) (*Whole, error) {
	text := "populate[*]=whole&status=" + status
	if locale != "" {
		text += "&locale=" + url.QueryEscape(locale)
	}
	r, err := c.FindOne(t, documentID, Arguments{Text: text})
	if err != nil {
		return nil, err
	}
	w, edited := &Whole{}, status == "draft" || !t.DraftAndPublish
	r.append = func(r *Read, ctx context.Context, dst []byte) ([]byte, bool, error) {
		dst, found, err := asBareOne(r, ctx, dst)
		if !found || err != nil {
			return dst, true, err
		}
		w.JSON = dst
		if edited {
			_, err = r.query.One(ctx, c.Snapshot(), r.documentID, w.count)
		}
		return dst, true, err
	}
	_, err = r.Append(ctx, nil)
	return w, err
}

func (w *Whole) count(e query.Entry) {
	for a, n := range e.Links() {
		if n <= mostShown {
			continue
		}
		if w.Counts == nil {
			w.Counts = map[string]int{}
		}
		w.Counts[a.Name] = n
	}
}

// localeOr adds a locale to parameters, unless it is empty.
func localeOr(tree *params.Node, locale string) *params.Node {
	if locale == "" {
		return tree
	}
	return tree.WithText("locale", locale)
}

func number(key string, n int) *params.Node {
	return (*params.Node)(nil).WithText(key, fmt.Sprint(n))
}
