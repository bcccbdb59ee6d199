package server

import (
	"fmt"
	"strings"

	"quire/auth"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/server/live"
	"quire/store"
)

// listenReader reads the parameters of GET /api/_events into a subscription.
type listenReader struct {
	site   *siteVersion
	caller *auth.Caller
	n      *params.Node
	q      *live.Subscription
	listed []*schema.Type // the types of the subscription
}

// mostNamed is the maximum number of types, documents or locales in a subscription.
const mostNamed = 100

// words reads a list of strings, or one string with commas between the words.
func (r *listenReader) words(key string) ([]string, error) {
	n := r.n.Get(key)
	var list []string
	switch {
	case n == nil || n.IsNull():
		return nil, nil
	case n.IsText():
		list = strings.Split(n.Text, ",")
	case n.IsList():
		for _, item := range n.Items {
			list = append(list, item.Text) // empty if it is not a string
		}
	}
	for i := range list {
		if list[i] = strings.TrimSpace(list[i]); list[i] == "" {
			list = nil
			break
		}
	}
	if len(list) == 0 || len(list) > mostNamed {
		return nil, refuseListen(key, fmt.Sprintf("%s must be one word or several, 100 at most, with commas between them", key))
	}
	return list, nil
}

// set returns the words as a set; nil if the key is missing.
func (r *listenReader) set(key string) (map[string]bool, error) {
	list, err := r.words(key)
	if list == nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, word := range list {
		set[word] = true
	}
	return set, err
}

func (r *listenReader) status() error {
	switch n := r.n.Get("status"); {
	case n == nil || n.IsNull():
	case n.IsText() && n.Text == "draft":
		r.q.Status = store.Draft
	case n.IsText() && n.Text == "published":
		r.q.Status = store.Published
	default:
		return refuseListen("status", "status must be draft or published")
	}
	return nil
}

// types reads the types of the subscription: the named ones, if the caller may receive events
// of all of them, or by default all types of which the caller may receive events.
func (r *listenReader) types() error {
	names, err := r.words("types")
	if err != nil {
		return err
	}
	if names == nil {
		for _, t := range r.site.schema.Types {
			if r.mayHear(t) {
				r.listed = append(r.listed, t)
			}
		}
		if r.listed == nil {
			return forbidden()
		}
		return nil
	}
	r.q.Types = map[string]bool{}
	for _, name := range names {
		t := r.named(name)
		switch {
		case t == nil:
			return refuseListen("types", fmt.Sprintf("types: there is no content type %.80q", name))
		case !r.mayHear(t):
			return forbidden()
		case !r.q.Types[t.UID]:
			r.q.Types[t.UID] = true
			r.listed = append(r.listed, t)
		}
	}
	return nil
}

// mayHear reports whether the caller may receive any of the requested events of a type.
func (r *listenReader) mayHear(t *schema.Type) bool {
	return r.q.Status != store.Draft && r.site.mayHear(r.caller, t, store.Published) ||
		r.q.Status == store.Draft && r.site.mayHear(r.caller, t, store.Draft)
}

// named finds a content type by its uid, or by its name in URLs.
func (r *listenReader) named(name string) *schema.Type {
	site := r.site.schema
	t := site.Type(name)
	if t == nil {
		t = site.ByPlural(name)
	}
	if t == nil {
		t = site.BySingular(name)
	}
	if t == nil || t.IsComponent() {
		return nil
	}
	return t
}

func (r *listenReader) documents() (err error) {
	r.q.Documents, err = r.set("documentId")
	return err
}

func (r *listenReader) locales() (err error) {
	if n := r.n.Get("locale"); n.IsText() && n.Text == "*" {
		return nil
	}
	r.q.Locales, err = r.set("locale")
	for code := range r.q.Locales {
		if !r.site.schema.Settings.HasLocale(code) {
			return refuseListen("locale", fmt.Sprintf("The site has no locale %.40q", code))
		}
	}
	return err
}

// entries compiles the queries that show entries: for each type and status of which the
// caller may receive events.
func (r *listenReader) entries() error {
	n := r.n.Get("include")
	if n == nil || n.IsNull() {
		for _, key := range []string{"fields", "populate"} {
			if r.n.Get(key) != nil {
				return refuseListen(key, key+" is for streams with include=entry")
			}
		}
		return nil
	}
	if !n.IsText() || n.Text != "entry" {
		return refuseListen("include", "include must be entry")
	}
	queries := &entryQueries{heavy: r.site.heavyCost(), of: map[entryKind]*query.Query{}}
	for _, t := range r.listed {
		for _, status := range []store.Status{store.Published, store.Draft} {
			if r.q.Status != 0 && r.q.Status != status || !r.site.mayHear(r.caller, t, status) {
				continue
			}
			q, err := r.entryQuery(t, status)
			if err != nil {
				return err
			}
			queries.of[entryKind{t.UID, status}] = q
		}
	}
	r.q.Entry = queries.entry
	return nil
}

// entryQuery compiles the query for an entry, with the defaults of the site.
func (r *listenReader) entryQuery(t *schema.Type, status store.Status) (*query.Query, error) {
	parameters := &params.Node{Kind: params.Object}
	for _, from := range []*params.Node{r.n, r.site.documents.Defaults(t)} {
		for _, key := range []string{"fields", "populate"} {
			if value := from.Get(key); value != nil && parameters.Get(key) == nil {
				parameters.Keys, parameters.Items = append(parameters.Keys, key), append(parameters.Items, value)
			}
		}
	}
	q, err := r.site.documents.Compiler().Compile(t, parameters, r.caller, query.Options{Draft: status == store.Draft})
	if err == nil && q.Large() {
		err = refuseListen("populate", "populate asks for too much for a stream; name what is to be populated")
	}
	return q, err
}
