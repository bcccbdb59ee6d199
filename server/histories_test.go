package server_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quire/auth"
	"quire/schema"
)

var historySeed = flag.Uint64("history-seed", 0, "`SEED` of TestHistoriesOfLinks; 0 for a new one")

// After random writes from both sides of relations of all kinds, the lists are those of
// Strapi's tables.
func TestHistoriesOfLinks(t *testing.T) {
	t.Parallel()
	seed := *historySeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for round := range uint64(12) {
		if !t.Run(fmt.Sprint(round), func(t *testing.T) { newHistory(t, seed+round).run(60) }) {
			t.Fatalf("-history-seed %d", seed+round)
		}
	}
}

// history is a site of two types with some relations between them, and the tables with
// which it is compared.
type history struct {
	*testing.T
	rand   *rand.Rand
	tables tables
	docs   map[*tableType][]string
	made   []string
	site   http.Handler
	token  string
	log    []string // accepted writes
	faults []string
}

func (h *history) fault(format string, args ...any) {
	h.faults = append(h.faults, fmt.Sprintf(format, args...))
}

// short replaces documentIds by the order of creation.
func (h *history) short(text string) string {
	for i, doc := range h.made {
		text = strings.ReplaceAll(text, doc, fmt.Sprint("doc", i))
	}
	return text
}

func newHistory(t *testing.T, seed uint64) *history {
	h := newRelations(t, seed)
	site, err := schema.Load(h.folder())
	check(t, err)
	s, keys, _ := open(t, t.TempDir(), site, slog.New(slog.DiscardHandler))
	h.site, h.token = s.Handler(), createToken(t, keys, "full", auth.FullAccess)
	return h
}

// newRelations chooses two types and the relations between them.
func newRelations(t *testing.T, seed uint64) *history {
	h := &history{T: t, rand: rand.New(rand.NewPCG(seed, seed)), docs: map[*tableType][]string{}}
	one := &tableType{name: "one", drafts: h.flip(), localized: h.flip()}
	two := &tableType{name: "two", drafts: h.flip(), localized: h.flip()}
	h.tables = tables{types: map[string]*tableType{"one": one, "two": two}, rows: map[int]*versionRow{}, taken: map[int]*versionRow{}, loose: map[looseList]bool{}}
	for i := range 3 + h.rand.IntN(3) {
		r := &relation{name: fmt.Sprint("r", i), owner: one, target: two, form: h.any("oneToOne", "manyToOne", "manyToMany")}
		switch h.rand.IntN(5) {
		case 0:
			r.owner, r.target = two, one
		case 1:
			r.target = one
		}
		if r.form != "oneToOne" && h.rand.IntN(3) == 0 {
			r.oneWay, r.target = true, h.shadowsOf(r.target)
		}
		h.tables.relations = append(h.tables.relations, r)
	}
	return h
}

// shadowsOf returns a type that stands for the documents of another.
func (h *history) shadowsOf(of *tableType) *tableType {
	shadows := &tableType{name: of.name, localized: of.localized, shadows: of}
	h.tables.shadows = append(h.tables.shadows, shadows)
	return shadows
}

// folder returns the folder of the site.
func (h *history) folder() fstest.MapFS {
	return fstest.MapFS{
		"site.json": schemaFile(`{"i18n": {"defaultLocale": "en", "locales": [{"code": "en", "name": "English"}, {"code": "fr", "name": "French"}]}}`),
		"src/api/one/content-types/one/schema.json": schemaFile(h.schema(h.tables.types["one"])),
		"src/api/two/content-types/two/schema.json": schemaFile(h.schema(h.tables.types["two"])),
	}
}

func schemaFile(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func (h *history) flip() bool              { return h.rand.IntN(2) == 0 }
func (h *history) any(of ...string) string { return of[h.rand.IntN(len(of))] }

// schema returns the schema file of a type.
func (h *history) schema(of *tableType) string {
	attributes := map[string]any{"name": map[string]any{"type": "string"}}
	turned := map[string]string{"oneToOne": "oneToOne", "manyToOne": "oneToMany", "manyToMany": "manyToMany"}
	for _, s := range h.tables.faces(of) {
		a := map[string]any{"type": "relation", "relation": s.form, "target": "api::" + s.to().name + "." + s.to().name, "inversedBy": s.name + "_seen"}
		if s.from == 1 {
			a["relation"], a["mappedBy"] = turned[s.form], s.name
			delete(a, "inversedBy")
		}
		if s.oneWay {
			a["relation"] = map[string]string{"manyToOne": "oneToOne", "manyToMany": "oneToMany"}[s.form]
			delete(a, "inversedBy")
		}
		attributes[s.attribute()] = a
	}
	text, err := json.Marshal(map[string]any{
		"kind": "collectionType", "info": map[string]any{"singularName": of.name, "pluralName": of.name + "s", "displayName": of.name},
		"options":       map[string]any{"draftAndPublish": of.drafts},
		"pluginOptions": map[string]any{"i18n": map[string]any{"localized": of.localized}},
		"attributes":    attributes,
	})
	check(h.T, err)
	return string(text)
}

func (h *history) run(moves int) {
	for range moves {
		if h.move(); h.tables.unsure() {
			return
		}
		h.compare()
		if len(h.faults) > 0 {
			h.Fatal(h.short(strings.Join(slices.Concat(h.faults, h.log), "\n") + "\n" + h.describe()))
		}
	}
}

func (h *history) describe() string {
	var b strings.Builder
	for _, of := range h.tables.types {
		fmt.Fprintf(&b, "%s: drafts %v, localized %v\n", of.name, of.drafts, of.localized)
	}
	for _, r := range h.tables.relations {
		fmt.Fprintf(&b, "%s.%s: %s to %s, one way %v\n", r.owner.name, r.name, r.form, r.target.name, r.oneWay)
	}
	return b.String()
}

// move does one write in the site and in the tables.
func (h *history) move() {
	of := h.tables.types[h.any("one", "two")]
	docs := h.docs[of]
	if len(docs) > 0 && h.rand.IntN(12) == 0 {
		h.delete(of, docs[h.rand.IntN(len(docs))])
		return
	}
	if len(docs) > 0 && h.rand.IntN(3) == 0 {
		h.act(of, docs[h.rand.IntN(len(docs))])
		return
	}
	draft := of.drafts && h.flip()
	locale := ""
	if of.localized {
		locale = h.any("en", "en", "fr")
	}
	if len(docs) == 0 || len(docs) < 4 && h.rand.IntN(4) == 0 {
		h.save(of, "", locale, draft)
		return
	}
	h.save(of, docs[h.rand.IntN(len(docs))], locale, draft)
}

func (h *history) delete(of *tableType, doc string) {
	path := "/api/" + of.name + "s/" + doc
	locale := ""
	if of.localized {
		locale = h.any("*", "en", "fr")
		path += "?locale=" + locale
	}
	h.ask("DELETE", path, "")
	for _, r := range h.versions(of, doc) {
		if locale == "*" || r.locale == locale {
			h.tables.remove(r)
		}
	}
	for _, r := range h.tables.taken {
		if r.of == of && r.doc == doc && r.locale == locale {
			h.tables.remove(r)
		}
	}
	if len(h.versions(of, doc)) == 0 {
		h.docs[of] = slices.DeleteFunc(h.docs[of], func(d string) bool { return d == doc })
	}
}

// act does an action on a document.
func (h *history) act(of *tableType, doc string) {
	action := h.any("publish", "unpublish", "unpublish?discardDraft=true", "discard-draft", "duplicate")
	if !of.drafts {
		action = "duplicate"
	}
	if action == "duplicate" {
		if len(h.docs[of]) < 5 {
			h.duplicate(of, doc)
		}
		return
	}
	locale, path := "", "/api/"+of.name+"s/"+doc+"/actions/"+action
	if of.localized {
		locale = h.any("en", "fr")
		path += map[bool]string{true: "&", false: "?"}[strings.Contains(action, "?")] + "locale=" + locale
	}
	draft, published := h.tables.row(of, doc, locale, true), h.tables.row(of, doc, locale, false)
	want := 200
	switch {
	case draft == nil:
		want = 404
	case action == "publish":
		h.tables.publish(draft)
	case action == "discard-draft" && published == nil:
		want = 400
	case action == "discard-draft":
		h.tables.discard(published)
	case published == nil:
	case action == "unpublish":
		h.tables.unpublish(published)
	default:
		h.tables.discard(published)
		h.tables.unpublish(published)
	}
	if got := h.ask("POST", path, ""); got.status != want {
		h.fault("%s is answered %d, not %d", path, got.status, want)
	}
}

func (h *history) duplicate(of *tableType, doc string) {
	answer := h.ask("POST", "/api/"+of.name+"s/"+doc+"/actions/duplicate", "")
	id, _ := answer.data["documentId"].(string)
	if answer.status != 201 {
		h.fault("the duplicate of %s is answered %d", doc, answer.status)
		return
	}
	for _, locale := range []string{"", "en", "fr"} {
		if r := h.tables.row(of, doc, locale, of.drafts); r != nil {
			h.tables.duplicate(r, id)
		}
	}
	h.docs[of] = append(h.docs[of], id)
	h.made = append(h.made, id)
}

func (h *history) versions(of *tableType, doc string) (rows []*versionRow) {
	for _, r := range h.tables.rows {
		if r.of == of && r.doc == doc {
			rows = append(rows, r)
		}
	}
	return rows
}

// save creates or updates a document, and publishes it unless draft is set.
func (h *history) save(of *tableType, doc, locale string, draft bool) {
	values, body := h.body(of, doc)
	before := h.tables.copied()
	answer := h.ask(map[bool]string{true: "POST", false: "PUT"}[doc == ""], h.path(of, doc, locale, draft), body)
	id, _ := answer.data["documentId"].(string)
	taken := h.apply(of, map[bool]string{true: id, false: doc}[doc == ""], locale, draft, values)
	if taken != (answer.status < 300) {
		h.fault("it is answered %d, taken %v: %s", answer.status, taken, body)
		return
	}
	if !taken {
		h.tables = before
		h.log = h.log[:len(h.log)-1]
	} else if doc == "" {
		h.docs[of] = append(h.docs[of], id)
		h.made = append(h.made, id)
	}
}

func (h *history) path(of *tableType, doc, locale string, draft bool) string {
	path := "/api/" + of.name + "s"
	if doc != "" {
		path += "/" + doc
	}
	path += "?status=" + map[bool]string{true: "draft", false: "published"}[draft]
	if locale != "" {
		path += "&locale=" + locale
	}
	return path
}

// apply does a write in the tables.
func (h *history) apply(of *tableType, doc, locale string, draft bool, values []given) bool {
	r := h.tables.row(of, doc, locale, of.drafts)
	if r == nil {
		r = h.tables.add(of, doc, locale, of.drafts)
	}
	for _, g := range values {
		if !h.tables.write(r, g) {
			return false
		}
	}
	if of.drafts && !draft {
		h.tables.publish(r)
	}
	return true
}

// body sets one or two attributes.
func (h *history) body(of *tableType, doc string) ([]given, string) {
	sides := h.tables.faces(of)
	h.rand.Shuffle(len(sides), func(i, j int) { sides[i], sides[j] = sides[j], sides[i] })
	if len(sides) > 1 && (h.flip() || sides[0].relation == sides[1].relation) {
		sides = sides[:1]
	}
	values, members := []given{}, []string{}
	for _, s := range sides[:min(len(sides), h.rand.IntN(3))] {
		g, text := h.given(s, doc)
		values = append(values, g)
		members = append(members, fmt.Sprintf("%q: %s", s.attribute(), text))
	}
	if len(members) == 0 {
		members = append(members, fmt.Sprintf(`"name": "name %d"`, h.rand.IntN(9)))
	}
	return values, `{"data": {` + strings.Join(members, ", ") + `}}`
}

// given writes a list in one of the forms of a body.
func (h *history) given(s face, doc string) (given, string) {
	others := slices.Clone(h.docs[h.tables.types[s.to().name]])
	h.rand.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	most := 3
	if !s.many() {
		most = 1
	}
	some := others[:min(len(others), h.rand.IntN(most+1))]
	g := given{face: s, replace: h.flip()}
	items := make([]item, 0, len(some))
	for _, d := range some {
		i := item{doc: d}
		if s.to().localized && !s.of().localized && h.flip() {
			i.locale = "fr"
		}
		items = append(items, i)
	}
	if g.replace {
		g.set = items
		return g, listOf(items)
	}
	for _, d := range others {
		if h.rand.IntN(4) == 0 && s.many() {
			g.disconnect = append(g.disconnect, item{doc: d})
		}
	}
	for i := range items {
		items[i].where = "end"
		if !s.many() {
			continue
		}
		items[i].where = h.any("end", "end", "start", "before", "after")
		if items[i].where == "before" || items[i].where == "after" {
			items[i].neighbour = others[h.rand.IntN(len(others))]
		}
		if items[i].neighbour == items[i].doc {
			items[i].where, items[i].neighbour = "start", ""
		}
	}
	g.connect = items
	return g, `{"connect": ` + listOf(g.connect) + `, "disconnect": ` + listOf(g.disconnect) + `}`
}

func listOf(items []item) string {
	texts := []string{}
	for _, i := range items {
		text := fmt.Sprintf(`{"documentId": %q`, i.doc)
		if i.locale != "" {
			text += fmt.Sprintf(`, "locale": %q`, i.locale)
		}
		switch {
		case i.neighbour != "":
			text += fmt.Sprintf(`, "position": {%q: %q}`, i.where, i.neighbour)
		case i.where != "":
			text += fmt.Sprintf(`, "position": {%q: true}`, i.where)
		}
		texts = append(texts, text+"}")
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// reply is a response with one entry.
type reply struct {
	status int
	data   map[string]any
}

func (h *history) ask(method, path, body string) reply {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+h.token)
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	h.site.ServeHTTP(answer, request)
	var got struct{ Data map[string]any }
	if answer.Code == 200 || answer.Code == 201 {
		check(h.T, json.Unmarshal(answer.Body.Bytes(), &got))
	} else if answer.Code >= 500 {
		h.fault("%s %s: %d %s", method, path, answer.Code, answer.Body)
	}
	if method != "GET" {
		h.log = append(h.log, fmt.Sprint(answer.Code, " ", method, " ", path, " ", body))
	}
	return reply{answer.Code, got.Data}
}

// compare reads every version of every document.
func (h *history) compare() {
	for _, of := range h.tables.types {
		for _, doc := range h.docs[of] {
			for _, r := range h.versions(of, doc) {
				for _, drafts := range []bool{true, false} {
					if of.drafts && r.draft != drafts {
						continue
					}
					h.compareRow(r, drafts)
				}
			}
		}
	}
}

func (h *history) compareRow(r *versionRow, drafts bool) {
	got := h.ask("GET", h.path(r.of, r.doc, r.locale, drafts)+"&populate=*", "")
	if got.status != 200 {
		h.fault("%s %s %s is answered %d", r.of.name, r.doc, r.locale, got.status)
		return
	}
	for _, s := range h.tables.faces(r.of) {
		shown, want := namesOf(got.data[s.attribute()]), h.tables.list(r, s, drafts)
		if h.tables.isLoose(s, r) {
			slices.Sort(shown)
			slices.Sort(want)
		}
		if !slices.Equal(shown, want) {
			h.fault("%s %s %s, drafts %v: %s is %q, want %q", r.of.name, r.doc, r.locale, drafts, s.attribute(), shown, want)
		}
	}
}

// namesOf returns what a relation shows, with the names in the tables.
func namesOf(value any) (names []string) {
	list, ok := value.([]any)
	if !ok && value != nil {
		list = []any{value}
	}
	for _, one := range list {
		entry := one.(map[string]any)
		locale, _ := entry["locale"].(string)
		names = append(names, fmt.Sprint(entry["documentId"])+" "+locale)
	}
	return names
}
