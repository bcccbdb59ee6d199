package admin

import (
	"fmt"
	"net/http"
	"strings"

	"quire/documents"
	"quire/schema"
)

// What links to several documents of a type, shown to people who are about to delete them.

func linkRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/links/:uid", handler: showLinks,
		summary: "What links to up to 100 documents of a type, whose ids have commas between them, besides these", query: []string{"documentIds"}, out: []linkingOf{}, meta: linkingMeta{}}}
}

// Limits of one response. Counting links takes as long as there are links.
const (
	mostLinkedTo = 100    // documents in a request
	mostLinking  = 1_000  // linking documents in a response
	mostCounted  = 10_000 // links, after which no other document is examined
)

// linkingOf is a document that links to one of the requested ones.
type linkingOf struct {
	Type       string `json:"type"`
	DocumentID string `json:"documentId"`
}

// linkingMeta says whether there may be more.
type linkingMeta struct {
	More bool `json:"more"`
}

// linkWalk collects what links to documents.
type linkWalk struct {
	*request
	call    *documents.Call
	found   []linkingOf
	seen    map[linkingOf]bool
	counted int
	more    bool
}

func showLinks(x *request) error {
	t, err := x.readableType(x.params.ByName("uid"))
	if err != nil {
		return err
	}
	ids := strings.Split(x.http.URL.Query().Get("documentIds"), ",")
	if len(ids) > mostLinkedTo {
		return queryProblem("documentIds", fmt.Sprintf("documentIds has at most %d ids, with commas between them", mostLinkedTo))
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	w := &linkWalk{request: x, call: call, found: []linkingOf{}, seen: map[linkingOf]bool{}}
	for _, id := range ids {
		if id == "" || noDocument(id) {
			return queryProblem("documentIds", "documentIds must be ids of documents, with commas between them")
		}
		w.seen[linkingOf{t.UID, id}] = true // the requested documents themselves are not listed
	}
	for _, id := range ids {
		if w.more = w.more || w.counted >= mostCounted; w.counted >= mostCounted {
			break
		}
		if err := w.to(t, id); err != nil {
			return err
		}
	}
	return x.answerWith(http.StatusOK, w.found, linkingMeta{w.more})
}

// to collects what links to one document, up to one page. A deleted document has no links.
func (w *linkWalk) to(t *schema.Type, documentID string) error {
	limit := min(100, w.admin.Server.Site(w.http).Settings.MaxLimit)
	on := 0 // links on the page
	total, err := w.call.EachLink(w.http.Context(), t, documentID, limit, func(t *schema.Type, documentID string) {
		on++
		one := linkingOf{t.UID, documentID}
		switch {
		case w.seen[one]:
		case len(w.found) == mostLinking:
			w.more = true
		default:
			w.seen[one] = true
			w.found = append(w.found, one)
		}
	})
	w.counted += total
	w.more = w.more || total > on
	return err
}
