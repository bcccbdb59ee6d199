package query

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// state is how a document stands in each locale, as include=state shows it.
func (m *model) state(e *store.Entry) []any {
	t, all := m.typeOf(e), []any{}
	codes := []string{""}
	if t.Localized {
		codes = codes[:0]
		for _, l := range m.site.Settings.Locales {
			codes = append(codes, l.Code)
		}
	}
	for _, code := range codes {
		draft := m.entries[t][store.Key{DocumentID: e.DocumentID, Locale: code, Status: store.Draft}]
		published := m.entries[t][store.Key{DocumentID: e.DocumentID, Locale: code, Status: store.Published}]
		one := map[string]any{"locale": nil, "status": "published", "publishedAt": nil}
		if code != "" {
			one["locale"] = code
		}
		newest := published
		switch {
		case draft == nil && published == nil:
			continue
		case published == nil:
			one["status"], newest = "draft", draft
		case draft != nil && draft.UpdatedAt > published.UpdatedAt:
			one["status"], newest = "modified", draft
		}
		one["updatedAt"] = timeText(newest.UpdatedAt)
		if published != nil {
			one["publishedAt"] = timeText(published.PublishedAt)
		}
		all = append(all, one)
	}
	return all
}

func timeText(ms int64) any {
	var text any
	if err := json.Unmarshal(index.AppendTime(nil, ms), &text); err != nil {
		return err
	}
	return text
}

// links are all links to a document that some read would show the caller, each as a text;
// nil when there is no such document for it.
func (m *model) links(target *schema.Type, documentID string) []string {
	known := false
	for k := range m.entries[target] {
		known = known || k.DocumentID == documentID && m.seen(target, k.Status) == k.Status
	}
	if !known {
		return nil
	}
	all := map[string]bool{}
	for _, m.status = range []store.Status{store.Draft, store.Published} {
		for _, t := range m.site.Types {
			if !m.access.Allows(t, schema.Find) {
				continue
			}
			for _, e := range m.visible(t) {
				m.eachLink(e, t, e.Fields, "", func(a *schema.Attribute, path string, edge store.Edge) {
					if found := m.follow(a.Relation.Target, e, edge); found != nil && a.Relation.Target == target && found.DocumentID == documentID {
						all[fmt.Sprintln(t.UID, e.DocumentID, e.Locale, e.Status, path)] = true
					}
				})
			}
		}
	}
	list := []string{}
	for one := range all {
		list = append(list, one)
	}
	slices.Sort(list)
	return list
}

// eachLink calls fn for the edges in fields, and in the components among them.
func (m *model) eachLink(e *store.Entry, t *schema.Type, fields []store.Field, at string, fn func(*schema.Attribute, string, store.Edge)) {
	for _, f := range fields {
		a := t.Attribute(f.Name)
		if a == nil || !m.may(a) {
			continue
		}
		for _, edge := range f.Value.Edges {
			fn(a, at+a.Name, edge)
		}
		for _, in := range f.Value.Instances {
			m.eachLink(e, m.site.Type(in.Component), in.Fields, at+a.Name+".", fn)
		}
	}
}

// linksOf are all links to a document, read in small pages; those of one document stand
// together.
func (s *trial) linksOf(t *testing.T, snapshot *index.Snapshot, q modelQuery) []string {
	t.Helper()
	var list []string
	closed := map[string]bool{}
	last := ""
	for page := 1; ; page++ {
		n, err := params.Parse(fmt.Sprintf("pagination[page]=%d&pagination[pageSize]=7", page), params.Limits{})
		check(t, err)
		l, err := s.compiler.CompileLinking(q.t, n, q.caller)
		check(t, err)
		text, found, err := l.Append(context.Background(), snapshot, q.documentID, nil)
		if !found && err == nil {
			return nil
		}
		var answer struct {
			Data []struct{ Type, DocumentID, Locale, Status, Path string }
			Meta struct{ Pagination struct{ Total int } }
		}
		if err == nil {
			err = json.Unmarshal(text, &answer)
		}
		if err != nil || len(list)+len(answer.Data) > answer.Meta.Pagination.Total || l.Cost(snapshot, q.documentID) == 0 && answer.Data != nil && len(answer.Data) > 0 {
			t.Fatalf("links to %s %s by %v: %v in %s", q.t.UID, q.documentID, q.caller, err, text)
		}
		for _, one := range answer.Data {
			if document := one.Type + " " + one.DocumentID; document != last {
				if closed[document] {
					t.Errorf("the links of %s do not stand together", document)
				}
				closed[last], last = true, document
			}
			list = append(list, fmt.Sprintln(one.Type, one.DocumentID, one.Locale, one.Status, one.Path))
		}
		if len(answer.Data) == 0 {
			slices.Sort(list)
			return append([]string{}, list...)
		}
	}
}

// compareLinks asks the model and a snapshot who links to the document of each question.
func (s *trial) compareLinks(t *testing.T, state string, w *world, queries []modelQuery, snapshot *index.Snapshot) {
	t.Helper()
	for _, q := range queries {
		if t.Failed() {
			return
		}
		m := &model{world: w.of(q.caller), access: q.caller}
		want, got := m.links(q.t, q.documentID), s.linksOf(t, snapshot, q)
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s\nlinks to %s %s by %v are\n%q\nand should be\n%q", state, q.t.UID, q.documentID, q.caller, got, want)
		}
		s.requested["links"] += len(want)
	}
}
