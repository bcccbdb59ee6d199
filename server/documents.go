package server

import (
	"net/http"
	"strconv"

	"quire/auth"
	"quire/content/body"
	"quire/documents"
	"quire/media"
	"quire/query/params"
	"quire/schema"
)

// contentType serves the routes of one content type.
type contentType struct{ t *schema.Type }

// answer sends the response of a read, unless the client has it already.
func (x *request) answer(r *documents.Read, err error) error {
	if err != nil {
		return err
	}
	if x.mounted != "" {
		x.Header()[snapshotHeader] = []string{strconv.FormatUint(r.Revision(), 10)}
	}
	if x.unchanged(r) {
		return nil
	}
	return x.respond(r)
}

// respond sends the response of a read: the cached one, or else it runs the read.
func (x *request) respond(r *documents.Read) (err error) {
	cached := x.cached
	if x.wantsPlan() {
		cached = nil
	}
	if cached != nil && cached.body != nil {
		if err := x.Reserve(len(cached.body)); err != nil {
			return err
		}
		x.json(http.StatusOK, cached.body)
		return nil
	}
	if m := x.marks(); m != nil {
		x.buffer, err = r.AppendMarked(x.http.Context(), x.scratch(), *m)
	} else {
		x.buffer, err = r.Append(x.http.Context(), x.scratch())
	}
	if err != nil {
		return err
	}
	if cached != nil && r.Missed() == "" { // a search that finds nothing is counted each time
		x.site.cache.put(cached, x.buffer)
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}

// find answers GET on a collection.
func (c *contentType) find(x *request) error {
	return x.answer(x.call.Find(c.t, x.arguments()))
}

// count answers GET on _count: the number of entries in the list with these parameters.
func (c *contentType) count(x *request) error {
	return x.answer(x.call.Count(c.t, x.arguments()))
}

// aggregate answers GET on _aggregate: aggregates of entries, by group.
func (c *contentType) aggregate(x *request) error {
	return x.answer(x.call.Aggregate(c.t, x.arguments()))
}

// findOne answers GET on a document.
func (c *contentType) findOne(x *request) error {
	return x.answer(x.call.FindOne(c.t, c.documentOf(x), x.arguments()))
}

// documentOf returns the document in the path; empty for a single type.
func (c *contentType) documentOf(x *request) string {
	if c.t.Kind == schema.Single {
		return ""
	}
	return x.params.ByName("documentId")
}

// change reads what a write is given.
func (c *contentType) change(x *request) (documents.Change, error) {
	g := documents.Change{Arguments: x.arguments(), Beside: x.beside(), Data: func() (body.Value, error) { return readData(x) }}
	if len(x.params) > 0 {
		g.DocumentID = x.params[0].Value
	}
	var err error
	g.Match, err = x.match()
	return g, err
}

// preparation reads what a write does. The writes of a batch are all prepared, done
// together, and answered in one response.
type preparation func(x *request) (*documents.Write, error)

// handle does one write.
func (prepare preparation) handle(x *request) error {
	w, err := prepare(x)
	if err != nil {
		return err
	}
	if err := x.call.Do(x.http.Context(), w); err != nil {
		return err
	}
	if w.Empty() {
		x.answerEmpty()
		return nil
	}
	var omitted string
	if x.buffer, omitted, err = w.Append(x.http.Context(), x.scratch()); err != nil {
		return err
	}
	x.showOmitted(omitted)
	x.showVersion(w.Version(), nil) // no cache keeps it
	x.json(statusOf(w), x.buffer)
	return nil
}

// statusOf returns the status of the response to a write.
func statusOf(w *documents.Write) int {
	switch {
	case w.Removes:
		return http.StatusNoContent
	case w.Creates:
		return http.StatusCreated
	}
	return http.StatusOK
}

// omittedHeader names what a response to a write leaves out.
const omittedHeader = "X-Quire-Omitted"

func (x *request) showOmitted(omitted string) {
	if omitted != "" {
		x.Header()[omittedHeader] = []string{omitted}
		x.expose(omittedHeader)
	}
}

// writing returns the preparation of a create, an update or a delete.
func (c *contentType) writing(prepare func(*documents.Call, *schema.Type, documents.Change) (*documents.Write, error)) preparation {
	return func(x *request) (*documents.Write, error) {
		g, err := c.change(x)
		if err != nil {
			return nil, err
		}
		return prepare(&x.call, c.t, g)
	}
}

// Incoming links: a caller who may read a document may list the links to it, and sees the
// entries that it may read.

// linksRoute is the route of the links to a document of a type. path leads to the document.
func linksRoute(t *schema.Type, path string) Route {
	h := &contentType{t}
	return Route{Method: http.MethodGet, Path: path + "/links", Permission: auth.Permission{UID: t.UID, Action: t.ReadOne()}, takes: []string{"pagination"}, handler: h.links}
}

// links answers GET on links below a document.
func (c *contentType) links(x *request) error {
	return x.answer(x.call.Links(c.t, c.documentOf(x), x.arguments(), notFound()))
}

// fileLinks answers GET on links below a file.
func fileLinks(x *request) error {
	documentID, ok := x.site.library.Find(x.params[0].Value)
	if !ok {
		return media.ErrNotFound
	}
	return x.answer(x.call.Links(x.site.files(), documentID, x.arguments(), media.ErrNotFound))
}

// query reads the parameters of the request.
func (x *request) query() (*params.Node, error) {
	x.watch.lap()
	tree, err := x.site.documents.Parse(x.http.URL.RawQuery)
	x.Parsed()
	return tree, err
}

// arguments are the parameters of the request, which are parsed where that is necessary.
func (x *request) arguments() documents.Arguments {
	x.watch.lap()
	return documents.Arguments{Text: x.http.URL.RawQuery}
}
