package content

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"quire/schema"
	"quire/store"
)

// The results of the recorded writes must equal the recorded reads of single documents:
// plain values, components, and the documents in each relation, in order.
func TestRecordedReads(t *testing.T) {
	for _, name := range []string{"01-documents", "06-status", "07-locale", "08-relations", "09-components"} {
		t.Run(name, func(t *testing.T) {
			r := replay{newFixture(t, guide(t)), map[string]string{}}
			compared := 0
			for i, s := range r.steps(name) {
				if why := r.step(s); why != "" {
					t.Errorf("#%d %s %s: %s", i, s.Method, s.Path, why)
				}
				if s.Method == "GET" && (s.As == "" || s.As == "full") && s.Expect.Status < 500 && r.compare(i, s) {
					compared++
				}
			}
			if compared == 0 {
				t.Error("no read was compared")
			}
		})
	}
}

// compare compares a read of one document with the stored one.
func (r *replay) compare(i int, s recordedStep) bool {
	address, err := url.Parse(r.fill(s.Path))
	must(r, err)
	route, documentID, single := strings.Cut(strings.TrimPrefix(address.Path, "/api/"), "/")
	kind := r.find(route, single)
	if kind == nil {
		return false
	}
	k := r.readKey(kind, documentID, address.Query())
	e := r.stored(kind.UID, k)
	if found := e != nil; found != (s.Expect.Status == 200) {
		r.Errorf("#%d %s: found is %v, want status %d", i, s.Path, found, s.Expect.Status)
		return true
	}
	for name, want := range s.Expect.Body.Data {
		a := kind.Attribute(name)
		if a == nil || a.System != schema.NotSystem {
			continue
		}
		var value any
		must(r, json.Unmarshal([]byte(r.fill(string(want))), &value))
		if why := r.differs(a, e.Value(name), e, value); why != "" {
			r.Errorf("#%d %s: %s %s", i, s.Path, name, why)
		}
	}
	return true
}

func (r *replay) find(route string, withDocument bool) *schema.Type {
	for t := range r.site.Served() {
		if withDocument && t.Plural == route || !withDocument && t.Kind == schema.Single && t.Singular == route {
			return t
		}
	}
	return nil
}

func (r *replay) readKey(t *schema.Type, documentID string, query url.Values) store.Key {
	k := store.Key{DocumentID: documentID, Status: store.Published}
	if documentID == "" {
		k.DocumentID, _ = r.index.Snapshot().SingleDocument(t)
	}
	if t.DraftAndPublish && query.Get("status") == "draft" {
		k.Status = store.Draft
	}
	if t.Localized {
		k.Locale = "en"
		if l := query.Get("locale"); l != "" {
			k.Locale = l
		}
	}
	return k
}

// differs describes how a value differs from a read, as far as the read shows it.
func (r *replay) differs(a *schema.Attribute, v store.Value, e *store.Entry, want any) string {
	items, isList := want.([]any)
	if !isList && want != nil {
		items = []any{want}
	}
	switch a.Kind {
	case schema.Media:
		return ""
	case schema.RelationKind:
		var ids []string
		for _, item := range items {
			ids = append(ids, item.(map[string]any)["documentId"].(string))
		}
		if got := r.shownLinks(a, v.Edges, e); !slices.Equal(got, ids) {
			return fmt.Sprintf("is %v, want %v", got, ids)
		}
		return ""
	case schema.Component, schema.DynamicZone:
		return r.recordsDiffer(v.Instances, e, items)
	}
	raw, _ := json.Marshal(want)
	if got := plain(a, v); !sameJSON(got, raw) {
		return fmt.Sprintf("is %s, want %s", got, raw)
	}
	return ""
}

func (r *replay) recordsDiffer(records []store.Instance, e *store.Entry, want []any) string {
	if len(records) != len(want) {
		return fmt.Sprintf("has %d instances, want %d", len(records), len(want))
	}
	for i, record := range records {
		object := want[i].(map[string]any)
		if uid, ok := object["__component"]; ok && uid != record.Component {
			return fmt.Sprintf("%d is a %s, want %s", i, record.Component, uid)
		}
		for _, inner := range r.site.Type(record.Component).Attributes {
			value, said := object[inner.Name]
			if why := r.differs(inner, record.Value(inner.Name), e, value); said && why != "" {
				return fmt.Sprintf("%d.%s %s", i, inner.Name, why)
			}
		}
	}
	return ""
}

func (r *replay) shownLinks(a *schema.Attribute, edges []store.Edge, e *store.Entry) []string {
	var ids []string
	show := func(t *schema.Type, id, locale string) {
		k := store.Key{DocumentID: id, Locale: locale, Status: e.Status}
		if !t.DraftAndPublish {
			k.Status = store.Published
		}
		if t.Localized && e.Locale != "" {
			k.Locale = e.Locale
		}
		if r.stored(t.UID, k) != nil {
			ids = append(ids, id)
		}
	}
	if a.Relation.Owns {
		for _, edge := range edges {
			show(a.Relation.Target, edge.Target, edge.Locale)
		}
		return ids
	}
	inverse := a.Relation.Inverse
	for _, o := range r.index.Snapshot().Owners(inverse, a.Owner, e.DocumentID, e.Status) {
		if o.Edge.Locale == "" || o.Edge.Locale == e.Locale {
			show(inverse.Owner, o.Key.DocumentID, o.Key.Locale)
		}
	}
	return ids
}

// The order of an inverse list is the order of the places of its edges.
func TestPlacesLeaveRoom(t *testing.T) {
	f := newFixture(t, guide(t))
	chef := f.create("chef", `{"name": "Ana"}`)
	var ids []string
	for i := range 40 {
		id := f.create("restaurant", fmt.Sprintf(`{"name": "number %d"}`, i))
		f.update("chef", chef, fmt.Sprintf(`{"restaurants": {"connect": [{"documentId": %q, "position": {"start": true}}]}}`, id))
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	if got, want := f.list("restaurant", "chef", "chef", chef, store.Published), strings.Join(ids, " "); got != want {
		t.Errorf("restaurants are\n%s, want\n%s", got, want)
	}
}
