package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"quire/schema"
)

// toolCall is one call of a tool.
type toolCall struct{ name, arguments string }

// agentOf returns the token of a caller, for assistants.
func (h *accountSite) agentOf(as string) string {
	if h.people[as] != nil {
		return as
	}
	return h.tokens[as]
}

// callsNaming are calls that name a hidden attribute.
func callsNaming(t *schema.Type, w *way) (calls []toolCall) {
	name, path := w.hidden.Name, strings.Join(w.keys(), ".")
	add := func(format string, args ...any) {
		calls = append(calls, toolCall{"find", fmt.Sprintf(`{"type": %q, `+format+`}`, append([]any{t.UID}, args...)...)})
	}
	if w.direct() {
		for _, condition := range []string{`{"$eq": "x"}`, `{"$startsWith": "H"}`, `{"$null": true}`, `{"$gt": "HIDDENm"}`} {
			filter := condition
			for _, key := range slices.Backward(w.keys()) {
				filter = fmt.Sprintf(`{%q: %s}`, key, filter)
			}
			add(`"filters": %s`, filter)
			add(`"count": true, "filters": {"$or": [{"$not": %s}]}`, filter)
		}
		add(`"sort": [%q]`, path)
	}
	if len(w.hops) == 0 {
		add(`"fields": [%q]`, name)
		add(`"aggregate": {"groupBy": [%q]}`, name)
		add(`"aggregate": {"max": [%q], "min": [%q]}`, name, name)
	}
	return calls
}

// No tool can name an attribute that is hidden from its caller, and both sites refuse alike.
func TestNoToolNamesHiddenAttributes(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, w *twins, as string) {
		made := 0
		for ct := range w.site.Served() {
			if ct.Kind == schema.Single {
				continue // find refuses it
			}
			for _, way := range w.ways(as, ct) {
				for _, c := range callsNaming(ct, &way) {
					one, other := w.sides[0].tool(w.sides[0].agentOf(as), c.name, "%s", c.arguments), w.sides[1].tool(w.sides[1].agentOf(as), c.name, "%s", c.arguments)
					if made++; !one.failed || one.text != other.text || !strings.Contains(one.text, way.hidden.Name) {
						t.Errorf("%s: %s and %s", c.arguments, one.raw, other.raw)
					}
				}
			}
		}
		if made < 200 {
			t.Errorf("%d calls are too few: the enumeration has lost its way", made)
		}
	})
}

// No answer has a hidden value, whatever a tool is made to show.
func TestNoToolShowsHiddenValues(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, w *twins, as string) {
		s := w.sides[0]
		for ct := range w.site.Served() {
			for _, c := range reads(ct, s.ids[ct.UID]) {
				if a := s.tool(s.agentOf(as), c.name, "%s", c.arguments); strings.Contains(a.raw, s.mark) || strings.Contains(a.raw, "$argon2") {
					t.Errorf("%s %s shows a hidden value: %s", c.name, c.arguments, a.raw)
				}
			}
			for _, m := range resourcesOf(ct.UID, s.ids[ct.UID]) {
				if a := s.message(s.agentOf(as), m.name, json.RawMessage(m.arguments)); strings.Contains(a.raw, s.mark) {
					t.Errorf("%s %s shows a hidden value: %s", m.name, m.arguments, a.raw)
				}
			}
		}
		for _, c := range []toolCall{{"search", fmt.Sprintf(`{"text": %q}`, s.mark)}, {"search", `{"text": "t"}`}, {"files", `{"action": "find"}`}} {
			if a := s.tool(s.agentOf(as), c.name, "%s", c.arguments); strings.Contains(a.raw, s.mark) {
				t.Errorf("%s %s shows a hidden value: %s", c.name, c.arguments, a.raw)
			}
		}
	})
}

// resourcesOf are messages that show all resources of a type and a document.
func resourcesOf(uid, id string) (messages []toolCall) {
	for _, uri := range []string{"document/" + uid + "/" + id, "document/" + uid + "/" + id + "?locale=fr", "schema/" + uid} {
		messages = append(messages, toolCall{"resources/read", fmt.Sprintf(`{"uri": "quire://%s"}`, uri)})
	}
	return append(messages, toolCall{"resources/list", fmt.Sprintf(`{"cursor": "%s/1"}`, uid)})
}

// reads are calls that show all that a tool can show of a type and a document.
func reads(t *schema.Type, id string) (calls []toolCall) {
	for _, more := range []string{
		``, `, "populate": "*"`, `, "populate": "*", "status": "published"`, `, "fields": ["*"], "locale": "*"`, `, "search": "A"`, `, "count": true`, `, "count": true, "status": "draft"`,
		`, "aggregate": {"count": true}`, `, "aggregate": {"groupBy": ["id"]}, "status": "draft"`, `, "sort": ["updatedAt:desc"], "pageSize": 1`,
	} {
		calls = append(calls, toolCall{"find", fmt.Sprintf(`{"type": %q%s}`, t.UID, more)})
	}
	for _, more := range []string{
		``, `, "status": "draft"`, `, "status": "published"`, `, "populate": "*"`, `, "populate": {"*": 3}`, `, "show": "links"`, `, "show": "history"`, `, "show": "history", "status": "draft"`, `, "locale": "fr"`,
	} {
		calls = append(calls, toolCall{"get", fmt.Sprintf(`{"type": %q, "documentId": %q%s}`, t.UID, id, more)})
	}
	return append(calls, toolCall{"describe", fmt.Sprintf(`{"type": %q}`, t.UID)})
}

// Whatever a tool is made, its answer to a caller who may not read the drafts of a type
// stays the same to the last byte when these change.
func TestNoToolShowsDrafts(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	calls := []toolCall{{"describe", `{}`}, {"search", `{"text": "A"}`}, {"search", `{"text": "1", "status": "draft"}`}}
	for _, one := range []struct{ uid, id string }{
		{"api::restaurant.restaurant", "{r1}"}, {"api::restaurant.restaurant", "{r3}"}, {"api::chef.chef", "{c3}"}, {"api::category.category", "{cat}"}, {"api::review.review", "{review}"}, {"api::homepage.homepage", ""},
	} {
		calls = append(append(calls, reads(s.site.Type(one.uid), one.id)...), resourcesOf(one.uid, cmp.Or(one.id, "{home}"))...)
	}
	callers := slices.DeleteFunc(slices.Clone(s.callers), func(c draftCaller) bool { return s.agentOf(c.as) == "" || s.links[c.as] != "" })
	type callOf struct {
		draftCaller
		toolCall
	}
	ask := func() map[callOf]string {
		all := map[callOf]string{}
		for _, c := range calls {
			for _, caller := range callers {
				if strings.HasPrefix(c.name, "resources/") {
					all[callOf{caller, c}] = s.message(s.agentOf(caller.as), c.name, json.RawMessage(s.named(c.arguments))).raw
					continue
				}
				a := s.tool(s.agentOf(caller.as), c.name, "%s", s.named(c.arguments))
				if a.status != http.StatusOK || a.code != 0 {
					t.Fatalf("%s: %s %s: %d %s", caller.as, c.name, c.arguments, a.status, a.raw)
				}
				all[callOf{caller, c}] = a.text
			}
		}
		return all
	}
	before, seen := ask(), 0
	for _, letter := range []byte("cdhr") {
		s.change(letter)
		after := ask()
		for q, is := range after {
			switch was := before[q]; {
			case was == is:
			case strings.IndexByte(q.reads, letter) < 0:
				t.Errorf("%s %s: %q, who reads drafts of %q, sees that drafts of %s changed:\n%s\n%s", q.name, q.arguments, q.as, q.reads, draftTypes[letter], was, is)
			default:
				seen++
			}
		}
		before = after
	}
	if seen == 0 {
		t.Error("nobody sees that drafts change")
	}
}
