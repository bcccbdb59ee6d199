package endurance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// soakWriter writes documents of its own, knows what they must be, and takes them
// away at the end.
type soakWriter struct {
	*soakClient
	docs  []soakDocument
	count int // of documents made so far
}

type soakDocument struct {
	id, name  string
	published bool
	french    bool
}

// mostDocuments bounds what a writer has at a time.
const mostDocuments = 20

func writeMuch(c *soakClient) (again, leave func()) {
	w := &soakWriter{soakClient: c}
	return w.write, w.deleteAll
}

func (w *soakWriter) write() {
	if len(w.docs) < 3 || len(w.docs) < mostDocuments && w.random.IntN(3) == 0 {
		w.create()
		return
	}
	doc := &w.docs[w.random.IntN(len(w.docs))]
	switch w.random.IntN(9) {
	case 0:
		w.update(doc)
	case 1:
		w.publish(doc)
	case 2:
		w.translate(doc)
	case 3:
		w.link(doc)
	case 4:
		w.review(doc)
	case 5:
		w.delete(w.random.IntN(len(w.docs)))
	case 6:
		w.refused(doc)
	case 7:
		w.readBack(*doc)
	case 8:
		w.countOwn()
	}
}

func (w *soakWriter) create() {
	w.count++
	doc := soakDocument{name: fmt.Sprintf("%s makes %d", w.name, w.count), published: w.random.IntN(2) == 0}
	status := "draft"
	if doc.published {
		status = "published"
	}
	a, ok := w.send(soakRequest{kind: "write: create", method: "POST", path: "/api/restaurants?status=" + status, right: []int{http.StatusCreated},
		body: fmt.Sprintf(`{"data": {"name": %q, "tagline": %q, "story": %q, "stars": %d, "chef": %q, "categories": [%q], "location": {"city": "Lyon", "street": "1 Quay"}, "sections": [{"__component": "section.quote", "text": "Ah"}]}}`,
			doc.name, w.name, someWords(w.random, 10+w.random.IntN(400)), w.random.IntN(6), soakChef(w.random.IntN(soakChefs)), soakCategory(w.random.IntN(soakCategories)))})
	if !ok {
		return
	}
	var entry struct{ DocumentID, Name string }
	if err := json.Unmarshal(a.Data, &entry); err != nil || entry.DocumentID == "" || entry.Name != doc.name {
		w.wrong("write: create", "%s was made as %.200s", doc.name, a.text)
		return
	}
	doc.id = entry.DocumentID
	w.docs = append(w.docs, doc)
}

func (w *soakWriter) put(kind string, doc *soakDocument, query, data string) bool {
	_, ok := w.send(soakRequest{kind: kind, method: "PUT", path: "/api/restaurants/" + doc.id + query, body: `{"data": ` + data + `}`})
	return ok
}

func (w *soakWriter) update(doc *soakDocument) {
	name := fmt.Sprintf("%s anew %d", w.name, w.random.IntN(1000))
	if w.put("write: update", doc, "?status=draft", fmt.Sprintf(`{"name": %q, "rating": %d, "story": %q}`, name, w.random.IntN(5), someWords(w.random, 50))) {
		doc.name = name
	}
}

func (w *soakWriter) publish(doc *soakDocument) {
	if w.put("write: publish", doc, "", `{"vegan": true}`) {
		doc.published = true
	}
}

func (w *soakWriter) translate(doc *soakDocument) {
	if w.put("write: locale", doc, "?locale=fr&status=draft", fmt.Sprintf(`{"name": "En français %d", "tagline": "une traduction"}`, w.random.IntN(100))) {
		doc.french = true
	}
}

// link links through the other side, and reads the link from this one.
func (w *soakWriter) link(doc *soakDocument) {
	chef := soakChef(w.random.IntN(soakChefs))
	if _, ok := w.send(soakRequest{kind: "write: relation", method: "PUT", path: "/api/chefs/" + chef + "?status=draft", body: fmt.Sprintf(`{"data": {"restaurants": {"connect": [%q]}}}`, doc.id)}); !ok {
		return
	}
	a, ok := w.send(soakRequest{kind: "read: one", path: "/api/restaurants/" + doc.id + "?status=draft&populate[chef][fields]=name"})
	var entry struct{ Chef struct{ DocumentID string } }
	if ok && (json.Unmarshal(a.Data, &entry) != nil || entry.Chef.DocumentID != chef) {
		w.wrong("write: relation", "%s was linked to %s and is %.300s", doc.id, chef, a.text)
	}
}

// review writes about a document, and takes back what was written.
func (w *soakWriter) review(doc *soakDocument) {
	a, ok := w.send(soakRequest{kind: "write: create", method: "POST", path: "/api/reviews", right: []int{http.StatusCreated},
		body: fmt.Sprintf(`{"data": {"content": %q, "note": %d, "restaurant": %q}}`, someWords(w.random, 12), w.random.IntN(11), doc.id)})
	var entry struct{ DocumentID string }
	if ok && json.Unmarshal(a.Data, &entry) == nil {
		w.send(soakRequest{kind: "write: delete", method: "DELETE", path: "/api/reviews/" + entry.DocumentID, right: []int{http.StatusNoContent}})
	}
}

// refused sends what the rules forbid.
func (w *soakWriter) refused(doc *soakDocument) {
	r := soakRequest{kind: "write: refused", method: "PUT", path: "/api/restaurants/" + doc.id, right: []int{http.StatusBadRequest}}
	switch w.random.IntN(5) {
	case 0:
		r.body = `{"data": {"name": "x"}}`
	case 1:
		r.body = `{"data": {"stars": 7}}`
	case 2:
		r.body = `{"data": {"chef": "nobody at all"}}`
	case 3:
		r.path, r.body, r.right = "/api/restaurants/nothing", `{"data": {"stars": 1}}`, []int{http.StatusNotFound}
	case 4:
		r.public, r.body, r.right = true, `{"data": {"stars": 1}}`, []int{http.StatusForbidden}
	}
	w.send(r)
}

func (w *soakWriter) readBack(doc soakDocument) {
	a, ok := w.send(soakRequest{kind: "read: one", path: "/api/restaurants/" + doc.id + "?status=draft"})
	var entry struct{ Name string }
	if ok && (json.Unmarshal(a.Data, &entry) != nil || entry.Name != doc.name) {
		w.wrong("read: one", "%s has to be called %s and is %.200s", doc.id, doc.name, a.text)
	}
}

// countOwn counts what must be there of this writer.
func (w *soakWriter) countOwn() {
	want := map[string]int{"status=draft": len(w.docs)}
	for _, doc := range w.docs {
		if doc.published {
			want["status=published"]++
		}
	}
	for status, n := range want {
		a, _, ok := w.list("read: own", "/api/restaurants?pagination[pageSize]=5&fields=name&filters[tagline]="+w.name+"&"+status)
		if ok && a.Meta.Pagination.Total != n {
			w.wrong("read: own", "%s: %d with %s instead of %d", w.name, a.Meta.Pagination.Total, status, n)
		}
	}
}

func (w *soakWriter) delete(i int) {
	if _, ok := w.send(soakRequest{kind: "write: delete", method: "DELETE", path: "/api/restaurants/" + w.docs[i].id + "?locale=*", right: []int{http.StatusNoContent}}); ok {
		w.docs = slices.Delete(w.docs, i, i+1)
	}
}

func (w *soakWriter) deleteAll() {
	w.countOwn()
	for len(w.docs) > 0 {
		before := len(w.docs)
		if w.delete(0); len(w.docs) == before {
			return // which is counted as wrong
		}
	}
	w.countOwn()
}
