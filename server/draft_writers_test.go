package server_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quire/auth"
	"quire/auth/people"
	"quire/schema"
	"quire/schema/settings"
)

var draftWriterSeed = flag.Uint64("draft-writer-seed", 0, "`SEED` of TestWritersOfDraftsChangeNothingPublished; 0 for a new one")

// Whatever callers write who may only write drafts, all that is published stays the same to
// the last byte: with relations of all kinds, in types with and without drafts and locales.
func TestWritersOfDraftsChangeNothingPublished(t *testing.T) {
	t.Parallel()
	seed := *draftWriterSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	accepted := 0
	for round := range uint64(6) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			w := newDraftWriters(t, seed+round)
			w.run(40)
			accepted += w.accepted
		})
		if t.Failed() {
			t.Fatalf("-draft-writer-seed %d", seed+round)
		}
	}
	if accepted < 50 {
		t.Errorf("-draft-writer-seed %d: only %d writes of drafts were accepted", seed, accepted)
	}
}

// draftWriters is a site where an editor may do everything, and others only write drafts.
type draftWriters struct {
	*history
	site     *accountSite
	pins     []string
	accepted int // writes of the others
}

// draftWriterNames are those who may only write drafts: holders of tokens who may and may
// not read drafts, a user, an account of the admin, and an assistant of an owner.
var draftWriterNames = []string{"author", "blind", "nobody", "ada", "assistant"}

func newDraftWriters(t *testing.T, seed uint64) *draftWriters {
	w := &draftWriters{history: newRelations(t, seed)}
	w.tables.types["one"].drafts = true
	folder := w.folder()
	for _, of := range w.tables.types {
		name := "src/api/" + of.name + "/content-types/" + of.name + "/schema.json"
		addAttributes(t, folder, name, `{"pins": {"type": "relation", "relation": "morphMany", "target": "api::pin.pin", "morphBy": "items"},
			"other": {"type": "relation", "relation": "oneToMany", "target": "api::two.two"},
			"parts": {"type": "component", "repeatable": true, "component": "some.part"}}`)
	}
	folder["src/components/some/part.json"] = schemaFile(`{"info": {"displayName": "Part"}, "attributes": {"to": {"type": "relation", "relation": "oneToMany", "target": "api::one.one"}}}`)
	folder["src/api/pin/content-types/pin/schema.json"] = schemaFile(`{"kind": "collectionType", "info": {"singularName": "pin", "pluralName": "pins", "displayName": "Pin"},
		"attributes": {"label": {"type": "string"}, "items": {"type": "relation", "relation": "morphToMany"}}}`)
	site, err := schema.Load(folder)
	check(t, err)
	permissions := map[string]settings.RolePermissions{"authenticated": {}}
	for of := range site.Served() {
		permissions["authenticated"][of.UID] = namesOfActions(draftActions(of))
	}
	roles, err := json.Marshal(permissions)
	check(t, err)
	folder["site.json"] = schemaFile(`{"i18n": {"defaultLocale": "en", "locales": [{"code": "en"}, {"code": "fr"}]}, "auth": ` + unlimited + `, "mail": {"from": "g@example.org"}, "roles": ` + string(roles) + `}`)
	w.site = openAccountSite(t, folder, options{})
	w.admit()
	for range 3 {
		w.pins = append(w.pins, w.site.send("editor", "POST", "/api/pins", `{"data": {"label": "p"}}`).documentID(t))
	}
	return w
}

// addAttributes adds attributes to a schema file.
func addAttributes(t *testing.T, folder fstest.MapFS, name, attributes string) {
	t.Helper()
	var o map[string]any
	check(t, json.Unmarshal(folder[name].Data, &o))
	check(t, json.Unmarshal([]byte(attributes), ptr(o["attributes"].(map[string]any))))
	data, err := json.Marshal(o)
	check(t, err)
	folder[name] = &fstest.MapFile{Data: data}
}

// draftActions are all actions on a type that publish nothing.
func draftActions(t *schema.Type) []schema.Action {
	return slices.DeleteFunc(slices.Clone(t.Actions()), func(a schema.Action) bool {
		switch a {
		case schema.Create, schema.Update, schema.Delete, schema.Publish, schema.Unpublish:
			return true
		case schema.Duplicate:
			return !t.DraftAndPublish
		}
		return false
	})
}

func namesOfActions(actions []schema.Action) (names []string) {
	for _, a := range actions {
		names = append(names, string(a))
	}
	return names
}

// admit creates the callers. The reader may not read drafts.
func (w *draftWriters) admit() {
	h, t := w.site, w.T
	token := func(name string, has func(schema.Action) bool) {
		var list []string
		for of := range h.site.Served() {
			for _, a := range draftActions(of) {
				if has(a) {
					list = append(list, auth.Permission{UID: of.UID, Action: a}.String())
				}
			}
		}
		var err error
		h.tokens[name], err = h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: auth.Custom, Permissions: list})
		check(t, err)
	}
	token("author", func(schema.Action) bool { return true })
	token("blind", func(a schema.Action) bool { return a != schema.ReadDraft })
	token("reader", func(a schema.Action) bool { return a == schema.Find || a == schema.FindOne })
	h.tokens["editor"] = h.tokens["full"]
	h.join("nobody")
	h.receivePeople()
	rights := map[string]auth.TypeRights{}
	for of := range h.site.Served() {
		rights[of.UID] = auth.TypeRights{Actions: []string{"read"}}
		if of.DraftAndPublish {
			rights[of.UID] = auth.TypeRights{Actions: []string{"read", "create", "update"}}
		}
	}
	h.receive(t, "ada", auth.AdminRole{Types: rights})
	limits := people.Limits{Publish: people.No, Delete: people.Yes}
	h.people["assistant"] = limits.Caller(h.site, "a1.b2", &people.Role{Name: "owner", Rights: auth.AdminRole{Full: true}})
}

func (w *draftWriters) run(moves int) {
	for range moves {
		w.write("editor")
		w.write("editor")
		before := w.published()
		w.log = nil
		for range 2 {
			w.write(w.any(draftWriterNames...))
		}
		for path, is := range w.published() {
			if was, known := before[path]; known && was != is {
				w.Errorf("GET %s:\n%s\nwas\n%s", path, w.short(is), w.short(was))
			}
		}
		if w.Failed() {
			w.Fatal(w.short(strings.Join(w.log, "\n")) + "\n" + w.describe())
		}
	}
}

// published returns what the reader sees at each path.
func (w *draftWriters) published() map[string]string {
	seen := map[string]string{}
	read := func(path string) {
		a := w.site.send("reader", "GET", path, "")
		a.header.Del("X-Request-Id")
		seen[path] = fmt.Sprint(a.status, a.header, a.body)
	}
	read("/api/pins?populate=*")
	for _, name := range []string{"one", "two"} {
		of := w.tables.types[name]
		for _, locale := range []string{"en", "fr"} {
			read("/api/" + name + "s?populate=*&locale=" + locale)
			for _, doc := range w.docs[of] {
				read("/api/" + name + "s/" + doc + "?populate=*&locale=" + locale)
				read("/api/" + name + "s/" + doc + "?populate[parts][populate]=to&populate[pins][populate]=items&locale=" + locale)
			}
		}
	}
	return seen
}

// write sends a random write.
func (w *draftWriters) write(as string) {
	method, path, body := w.request(as)
	if w.rand.IntN(8) == 0 {
		two := []string{asPart(method, path, body), asPart(w.request(as))}
		method, path, body = "POST", "/api/_batch", `{"requests": [`+strings.Join(two, ", ")+`]}`
	}
	a := w.site.send(as, method, path, body)
	w.log = append(w.log, fmt.Sprint(as, " ", a.status, " ", method, " ", path, " ", body, " ", a.Error.Message))
	switch {
	case a.status >= 500:
		w.Fatalf("%s %s %s: %d %s", method, path, body, a.status, a.body)
	case a.status < 300 && as != "editor":
		w.accepted++
	}
	if a.status == 201 && path != "/api/_batch" {
		id := a.documentID(w.T)
		of := w.tables.types[strings.TrimPrefix(path, "/api/")[:3]]
		w.docs[of], w.made = append(w.docs[of], id), append(w.made, id)
	}
}

func asPart(method, path, body string) string {
	if body == "" {
		return fmt.Sprintf(`{"method": %q, "url": %q}`, method, path)
	}
	return fmt.Sprintf(`{"method": %q, "url": %q, "body": %s}`, method, path, body)
}

// request returns a random write. Those of writers of drafts are mostly ones that they may
// send.
func (w *draftWriters) request(as string) (method, path, body string) {
	of := w.tables.types[w.any("one", "one", "two")]
	docs := w.docs[of]
	draft := of.drafts && w.rand.IntN(20) > 0
	if as == "editor" {
		draft = of.drafts && w.rand.IntN(4) == 0
	}
	locale := ""
	if of.localized {
		locale = w.any("en", "en", "fr")
	}
	if len(docs) < 2 || len(docs) < 6 && w.rand.IntN(4) == 0 {
		return "POST", w.path(of, "", locale, draft), w.extended(of, "")
	}
	doc := docs[w.rand.IntN(len(docs))]
	action := w.any("discard-draft", "discard-draft", "duplicate", "restore", "publish")
	switch dice := w.rand.IntN(12); {
	case dice == 0 && as == "editor":
		return "DELETE", strings.Replace(w.path(of, doc, locale, false), "status=published", "", 1), ""
	case dice < 4 && action == "restore":
		return "POST", w.formerVersion(of, doc, locale), ""
	case dice < 4 && len(docs) < 7:
		return "POST", "/api/" + of.name + "s/" + doc + "/actions/" + action, ""
	}
	return "PUT", w.path(of, doc, locale, draft), w.extended(of, doc)
}

// formerVersion returns the path that restores one of the last versions of a document.
func (w *draftWriters) formerVersion(of *tableType, doc, locale string) string {
	path := "/api/" + of.name + "s/" + doc + "/history"
	var list struct{ Data []struct{ Revision int } }
	_ = json.Unmarshal([]byte(w.site.send("editor", "GET", path+"?status="+w.any("draft", "published")+"&locale="+locale, "").body), &list) // maybe it has none
	revision := 1
	if n := len(list.Data); n > 0 {
		revision = list.Data[w.rand.IntN(n)].Revision
	}
	return fmt.Sprintf("%s/%d/restore?locale=%s", path, revision, locale)
}

// extended is a body that also has what histories lack: components, links to any type, and
// relations with one side.
func (w *draftWriters) extended(of *tableType, doc string) string {
	_, body := w.body(of, doc)
	some := func(ids []string) string {
		list := []string{}
		for _, id := range ids {
			if w.flip() {
				list = append(list, fmt.Sprintf("%q", id))
			}
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	members := []string{
		`"pins": ` + some(w.pins), `"pins": {"connect": ` + some(w.pins) + `}`, `"pins": {"disconnect": ` + some(w.pins) + `}`,
		`"other": ` + some(w.docs[w.tables.types["two"]]), `"parts": [{"to": ` + some(w.docs[w.tables.types["one"]]) + `}]`,
	}
	if w.flip() {
		return body
	}
	return strings.TrimSuffix(body, "}}") + ", " + w.any(members...) + "}}"
}
