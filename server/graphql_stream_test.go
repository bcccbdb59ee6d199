package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"quire/store"
)

// subscribe opens a subscription, as graphql-sse does, or by GET as an EventSource does.
func (h *accountSite) subscribe(t *testing.T, s *httptest.Server, as, query string, headers ...string) *listener {
	t.Helper()
	headers = append(headers, "Accept", "text/event-stream")
	if slices.Contains(headers, "Last-Event-ID") {
		return h.listen(t, s, as, "GET", "/graphql?query="+url.QueryEscape(query), "", headers...)
	}
	text, err := json.Marshal(map[string]string{"query": query})
	check(t, err)
	return h.listen(t, s, as, "POST", "/graphql", string(text), append(headers, "Content-Type", "application/json")...)
}

// wantsData requires the next events of a subscription.
func (l *listener) wantsData(events ...string) {
	l.t.Helper()
	for _, want := range events {
		if m := l.next(); m.event != "next" || m.data != want {
			l.t.Fatalf("got %q %s, want %s", m.event, m.data, want)
		}
	}
}

func openGraphQLSite(t *testing.T) (*accountSite, *httptest.Server) {
	t.Helper()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{GraphQL: true})
	return h, h.listenTo(t, false)
}

// A subscription shows what is published, as its filters find it, and continues after an
// interruption.
func TestASubscriptionShowsChanges(t *testing.T) {
	t.Parallel()
	h, s := openGraphQLSite(t)
	const query = `subscription { c: dishChanged(filters: {price: {lt: 10}}) { action documentId entry { name p: price } } }`
	l := h.subscribe(t, s, "full", query)
	l.nextID() // it hears of what comes after that
	id := h.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup", "price": 5}}`).documentID(t)
	event := func(action, entry string) string {
		return `{"data":{"c":{"action":"` + action + `","documentId":"` + id + `","entry":` + entry + `}}}`
	}
	l.wantsData(event("publish", `{"name":"Soup","p":5}`))
	l.leave()
	h.send("full", "PUT", "/api/dishes/"+id, `{"data": {"name": "Lobster", "price": 50}}`)
	again := h.subscribe(t, s, "full", query, "Last-Event-ID", l.id)
	again.wantsData(event("publish", "null")) // its filters do not find it any more
	h.send("full", "PUT", "/api/dishes/"+id+"?status=draft", `{"data": {"price": 1}}`)
	h.send("full", "DELETE", "/api/dishes/"+id, "")
	again.wantsData(event("delete", "null"))
	one := h.subscribe(t, s, "full", `subscription { dishChanged(documentId: "another") { __typename } }`)
	drafts := h.subscribe(t, s, "full", `subscription { dishChanged(status: DRAFT) { __typename action entry { name __typename } } }`)
	one.nextID()
	drafts.nextID()
	h.send("full", "POST", "/api/dishes?status=draft", `{"data": {"name": "Secret"}}`)
	drafts.wantsData(`{"data":{"dishChanged":{"__typename":"DishChange","action":"create","entry":{"name":"Secret","__typename":"Dish"}}}}`)
	h.server.EndStreams()
	if m := one.next(); m.data != "" {
		t.Errorf("an event about another document: %s", m.data)
	}
}

// A subscription shows neither drafts nor private attributes to callers who may not see
// them, and ends when its caller loses the right to it.
func TestASubscriptionShowsNoMoreThanItsCallerMaySee(t *testing.T) {
	t.Parallel()
	h, s := openGraphQLSite(t)
	h.tokens["reader"] = h.customToken(t, "reader", dishUID+".find", "api::restaurant.restaurant.find")
	h.tokens["nobody"] = h.customToken(t, "nobody", "plugin::i18n.locales.listLocales")
	for _, test := range []struct{ as, query, want string }{
		{"nobody", `subscription { dishChanged { documentId } }`, "FORBIDDEN"},
		{"", `subscription { dishChanged(status: DRAFT) { documentId } }`, "FORBIDDEN"},
		{"reader", `subscription { dishChanged(status: DRAFT) { documentId } }`, "FORBIDDEN"},
		{"reader", `subscription { dishChanged(status: DRAFT) { action } }`, "FORBIDDEN"},
		{"full", `subscription { restaurantChanged { entry { secret_note } } }`, `Cannot query field \"secret_note\"`},
		{"full", `subscription { restaurantChanged(filters: {secret_note: {eq: "x"}}) { action } }`, `Field \"secret_note\" is not defined`},
		{"full", `subscription { restaurantChanged(locale: "*") { action } }`, "A subscription has one locale"},
		{"full", `subscription { a: restaurantChanged { action } b: restaurantChanged { action } }`, "one field"},
		{"full", `subscription { __typename }`, "introspection top level field"},
		{"full", `subscription { nope }`, `Cannot query field \"nope\"`},
		{"full", `{ nope }`, `Cannot query field \"nope\"`},
	} {
		l := h.subscribe(t, s, test.as, test.query)
		if first, last := l.next(), l.read(); first.event != "next" || !strings.Contains(first.data, test.want) || last.event != "" || l.answer.StatusCode != 200 {
			t.Errorf("%s, as %q: %+v %+v", test.query, test.as, first, last)
		}
	}
	reader := h.subscribe(t, s, "reader", `subscription { restaurantChanged { entry { name chef { name } } } }`)
	reader.nextID()
	h.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "Secret"}}`)
	h.send("full", "POST", "/api/restaurants", `{"data": {"name": "Open"}}`)
	reader.wantsData(`{"data":{"restaurantChanged":{"entry":{"name":"Open","chef":null}}},"errors":[{"message":"Forbidden access","path":["restaurantChanged","entry","chef"],"extensions":{"error":{"name":"ForbiddenError","message":"Forbidden access","details":{}},"code":"FORBIDDEN"}}]}`)
	check(t, h.auth.RevokeToken(t.Context(), "reader"))
	if m := reader.next(); m.data != "" {
		t.Errorf("after the token was deleted: %s", m.data)
	}
}

// Every caller hears of drafts by a subscription only if it may read them, and an entry shows
// no other drafts than the caller may read.
func TestEveryCallerHearsBySubscriptionWhatItMay(t *testing.T) {
	t.Parallel()
	s := openDrafts(t)
	at := s.listenTo(t, false)
	first := s.subscribe(t, at, "full", `subscription { restaurantChanged { action } }`)
	begun := first.nextID()
	first.leave()
	for _, letter := range []byte(draftLetters) {
		s.change(letter)
	}
	s.write(200, "PUT", "/api/restaurants/{r2}", `{"data": {"name": "public end", "chef": "{c1}"}}`)
	type named struct{ Name string }
	showed := map[byte]bool{}
	for _, caller := range s.callers {
		if s.links[caller.as] != "" {
			continue // a preview link does not open /graphql
		}
		for _, status := range []string{"PUBLISHED", "DRAFT"} {
			l := s.subscribe(t, at, caller.as, `subscription { restaurantChanged(status: `+status+`) { action entry { name chef { name } signature_dish { name } nearby { name } } } }`, "Last-Event-ID", begun)
			if status == "DRAFT" && !strings.Contains(caller.reads, "r") {
				if m := l.next(); m.event != "next" || !strings.Contains(m.data, `{"data":null,"errors":[`) || !strings.Contains(m.data, "FORBIDDEN") {
					t.Errorf("%q hears of drafts of restaurants: %s", caller.as, m.data)
				}
				continue
			}
			for ended := false; !ended; {
				m := l.next()
				var event struct {
					Data struct {
						RestaurantChanged struct {
							Entry *struct {
								named
								Chef           *named
								Signature_dish *named
								Nearby         []named
							}
						}
					}
				}
				if err := json.Unmarshal([]byte(m.data), &event); err != nil {
					t.Fatalf("%q: %q %v", caller.as, m.data, err)
				}
				e := event.Data.RestaurantChanged.Entry
				if e == nil {
					continue
				}
				ended = e.Name == "public end"
				for letter, all := range map[byte][]named{'r': append(e.Nearby, e.named), 'c': {deref(e.Chef)}, 'd': {deref(e.Signature_dish)}} {
					draft := slices.ContainsFunc(all, func(n named) bool { return n.Name != "" && !strings.HasPrefix(n.Name, "public") })
					if draft && (status != "DRAFT" || strings.IndexByte(caller.reads, letter) < 0) {
						t.Errorf("%q, who reads drafts of %q, hears one of %s: %s", caller.as, caller.reads, draftTypes[letter], m.data)
					}
					showed[letter] = showed[letter] || draft
				}
			}
			l.leave()
		}
	}
	if len(showed) != 3 || !showed['r'] || !showed['c'] || !showed['d'] {
		t.Errorf("callers who may read all drafts heard only of %v", showed)
	}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// A stream whose log has started again ends with an error that a client of GraphQL
// understands.
func TestASubscriptionReportsThatTheLogHasStartedAgain(t *testing.T) {
	t.Parallel()
	h, s := openGraphQLSite(t)
	l := h.subscribe(t, s, "full", `subscription { dishChanged { action } }`)
	l.nextID()
	check(t, h.db.Update(func(tx *store.Tx) error { return tx.ResetLog() }))
	if m := l.next(); m.event != "next" || !strings.Contains(m.data, `"code":"RESET"`) {
		t.Errorf("%+v", m)
	}
	if m := l.read(); m.event != "complete" || m.id == "" {
		t.Errorf("%+v", m)
	}
}

// A client that takes nothing but streams gets the result of a query as one.
func TestAQueryAsAStream(t *testing.T) {
	t.Parallel()
	h, s := openGraphQLSite(t)
	l := h.subscribe(t, s, "full", "{ dishes { name } }")
	l.wantsData(`{"data":{"dishes":[]}}`)
	plain := h.listen(t, s, "full", "GET", "/graphql?query="+url.QueryEscape("{ dishes { name } }"), "", "Accept", "application/json, text/event-stream")
	if got := plain.answer.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("with JSON as an alternative: %s", got)
	}
}

// Subscriptions count as streams.
func TestSubscriptionsAreLimited(t *testing.T) {
	t.Parallel()
	h, s := openGraphQLSite(t)
	h.site.Settings.Limits.StreamsPerAddress = 1
	const query = `subscription { dishChanged { action } }`
	h.subscribe(t, s, "full", query).nextID()
	if l := h.subscribe(t, s, "full", query); l.answer.StatusCode != 429 || l.answer.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v", l.answer.StatusCode, l.answer.Header)
	}
}

// A stream keeps what is made of its subscription, so that it is shorter than other operations.
func TestALongSubscriptionIsRefused(t *testing.T) {
	t.Parallel()
	h, s := openGraphQLSite(t)
	const query = `subscription { dishChanged { action } }`
	send := func(query, name string) *listener {
		text, err := json.Marshal(map[string]any{"query": query, "variables": map[string]string{"unknown": name}})
		check(t, err)
		return h.listen(t, s, "full", "POST", "/graphql", string(text), "Accept", "text/event-stream", "Content-Type", "application/json")
	}
	send(query, "short").nextID()
	for _, l := range []*listener{send(query, strings.Repeat("x", 20_000)), send(query+strings.Repeat(" ", 20_000), "")} {
		if m := l.next(); !strings.Contains(m.data, "A subscription and its variables have at most 16384 bytes") {
			t.Errorf("got %s", m.data)
		}
	}
}
