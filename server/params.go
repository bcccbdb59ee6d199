package server

import (
	"fmt"

	"quire/content"
	"quire/content/body"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// query reads the parameters of the request.
func (x *exchange) query() (*params.Node, error) {
	x.watch.lap()
	params, err := params.Parse(x.request.URL.RawQuery, queryLimits(x.edition.site))
	x.watch.parse = x.watch.lap()
	return params, err
}

// compile resolves the parameters, and limits the resulting query.
func (x *exchange) compile(t *schema.Type, params *params.Node, o query.Options) (*query.Query, error) {
	q, err := x.resolve(t, params, o)
	if err == nil && x.part == nil {
		x.observe(q)
	}
	return q, err
}

func (x *exchange) resolve(t *schema.Type, params *params.Node, o query.Options) (*query.Query, error) {
	if p := x.caller.Preview(); p != nil {
		o.Document = p.DocumentID
	}
	q, err := x.edition.compiler.Compile(t, params, x.caller, o)
	x.watch.compile = x.watch.lap()
	return q, err
}

// compileRead compiles the query of a read of a list or of a single type.
func (c *contentType) compileRead(x *exchange) (*query.Query, error) {
	return c.compileWith(x, x.edition.defaults[c.t].list, false)
}

// compileOne compiles the query of a read of one document of a collection.
func (c *contentType) compileOne(x *exchange) (*query.Query, error) {
	return c.compileWith(x, x.edition.defaults[c.t].one, true)
}

// compileWith compiles the query of a read, unless a compiled one is cached.
func (c *contentType) compileWith(x *exchange, defaults *params.Node, one bool) (*query.Query, error) {
	asked := question{c.t, *x.caller.Rights(), x.v4(), one, x.request.URL.RawQuery}
	kept := x.edition.prepared.find(asked)
	if kept == nil {
		params, err := x.query()
		if err != nil {
			return nil, err
		}
		params = withDefaults(params, defaults)
		if kept, err = x.resolve(c.t, params, query.Options{V4: asked.v4}); err != nil {
			return nil, err
		}
		if !kept.Large() {
			x.edition.prepared.put(asked, kept)
		}
	}
	q := *kept
	x.observe(&q)
	return &q, nil
}

// v4 reports whether the client requests the response format of Strapi 4.
func (x *exchange) v4() bool { return x.request.Header.Get("Strapi-Response-Format") == "v4" }

// prepareWrite reads what a create or an update does. It compiles the query first: a write
// whose response is not possible is not started.
func (c *contentType) prepareWrite(x *exchange) (*query.Query, content.Request, error) {
	_, q, request, err := c.prepare(x)
	if err == nil && request.Locale == content.AllLocales {
		err = invalid(`A document is written in one locale at a time; "locale" cannot be *`)
	}
	if err == nil {
		err = c.checkLocale(x, request.Locale)
	}
	if err != nil {
		return nil, request, err
	}
	data, err := readData(x)
	if err != nil {
		return nil, request, err
	}
	if request.Input, err = body.DecodeValue(x.edition.site, c.t, data, x.caller); err != nil {
		return nil, request, err
	}
	return q, request, nil
}

// prepareDelete reads what a delete does.
func (c *contentType) prepareDelete(x *exchange) (content.Request, error) {
	params, _, request, err := c.prepare(x)
	if err == nil && c.t.DraftAndPublish && params.Get("status") != nil {
		err = invalid(`A delete removes the draft and the published version; it takes no "status"`)
	}
	return request, err
}

// prepare reads the parts of a write that are in the URL.
func (c *contentType) prepare(x *exchange) (*params.Node, *query.Query, content.Request, error) {
	request := content.Request{Type: c.t, Status: store.Published, Beside: x.beside()}
	if len(x.params) > 0 {
		request.DocumentID = x.params[0].Value
	}
	var err error
	if request.Match, err = x.match(c.t); err != nil {
		return nil, nil, request, err
	}
	params, err := x.query()
	if err != nil {
		return nil, nil, request, err
	}
	q, err := x.compile(c.t, params, query.Options{V4: x.v4(), Write: true})
	if err != nil {
		return nil, nil, request, err
	}
	if c.t.DraftAndPublish {
		request.Status = q.Status()
	}
	if x.drafts != nil && request.Status != store.Draft {
		return nil, nil, request, publishes(x.drafts)
	}
	request.Locale, err = c.locale(params.Get("locale"))
	return params, q, request, err
}

// locale reads the locale of a write; empty is the default locale. Types that are not
// localized have none.
func (c *contentType) locale(n *params.Node) (string, error) {
	switch {
	case n == nil || n.IsNull() || !c.t.Localized:
		return "", nil
	case n.IsText():
		return n.Text, nil
	}
	return "", invalid(`A write takes one locale; "locale" must be a single value`)
}

func (c *contentType) checkLocale(x *exchange, code string) error {
	if code == "" || x.edition.site.Settings.HasLocale(code) {
		return nil
	}
	return invalid(fmt.Sprintf("The site has no locale %q", code))
}
