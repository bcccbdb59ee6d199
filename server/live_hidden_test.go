package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"quire/content/event"
	"quire/store"
)

// Entries in events show no hidden value, and no parameter of a stream can name a hidden
// attribute.
func TestHiddenAttributesAreInNoEvent(t *testing.T) {
	t.Parallel()
	forEach(t, hiddenAttributesAreInNoEvent)
}

func hiddenAttributesAreInNoEvent(t *testing.T, w *twins, as string) {
	requested := 0
	for _, ct := range w.site.Public() {
		path := "/api/_events?include=entry&types=" + ct.UID
		for _, way := range w.ways(as, ct) {
			for _, q := range way.queries(w.sides[0].mark) {
				a := w.ask(as, "GET", path+"&"+q, "")
				named := strings.Contains(a.Error.Message, way.hidden.Name) || strings.HasPrefix(q, "filters") || strings.HasPrefix(q, "sort")
				if requested++; a.status != http.StatusBadRequest || !named {
					t.Errorf("%s&%s: %d %.200s", path, q, a.status, a.body)
				}
			}
		}
	}
	if requested < 500 {
		t.Errorf("%d requests are too few: the enumeration has lost its way", requested)
	}
	for _, side := range w.sides {
		side.hearsNothingHidden(t, as)
	}
}

// hearsNothingHidden listens to all changes of the site.
func (s *side) hearsNothingHidden(t *testing.T, who string) {
	on := s.listenTo(t, false)
	end := s.send("full", "POST", "/api/dishes", `{"data": {"name": "the end"}}`)
	s.want(201, end)
	var from event.Position
	var last uint64
	check(t, s.db.View(func(tx *store.Tx) (err error) {
		from, err = event.Floor(tx)
		last = tx.Revision()
		return err
	}))
	if who == "full" {
		s.subscriptionShowsNothingHidden(t, on, from)
	}
	for _, as := range map[string][]string{"full": {"full", "ana", ""}, "account": {"account"}}[who] {
		for _, q := range []string{"", "&populate=*", "&fields=*", "&populate=*&status=published"} {
			shown := 0
			l := s.hear(t, on, as, fmt.Sprint("?include=entry&since=", from, q))
			for m := l.next(); ; m = l.next() {
				for _, secret := range []string{s.mark, "$argon2", "sessionEpoch", "folderPath", `"password"`, "Token"} {
					if strings.Contains(m.data, secret) {
						t.Errorf("%q hears of %s with %q: %s", as, secret, q, m.data)
					}
				}
				if strings.Contains(m.data, `"name":"rest"`) {
					shown++
				}
				if m.data == "" || m.id == fmt.Sprint(last) {
					break
				}
			}
			if l.leave(); l.id != fmt.Sprint(last) || shown == 0 {
				t.Errorf("%q, %q: the stream ends at %s instead of %d, and shows %d entries with hidden values", as, q, l.id, last, shown)
			}
		}
	}
}

// subscriptionShowsNothingHidden subscribes to restaurants from the beginning of the log. A
// caller who may not read a list gets no entry that selects it.
func (s *side) subscriptionShowsNothingHidden(t *testing.T, on *httptest.Server, from event.Position) {
	const selected = `name opening_hours { day } sections { ... on ComponentSectionQuote { text chef { name } } }`
	const shown = `"name":"rest","opening_hours":[{"day":"mon"}],"sections":[{"text":"q","chef":{"name":"chef"}}]`
	const reviews = ` reviews { note author { username } }`
	forbidden := func(path string) string {
		return `,"errors":[{"message":"Forbidden access","path":["restaurantChanged","entry","reviews"` + path + `],"extensions":{"error":{"name":"ForbiddenError","message":"Forbidden access","details":{}},"code":"FORBIDDEN"}}]`
	}
	for _, test := range []struct{ as, selected, entry, errors string }{
		{"full", selected + reviews, "{" + shown + `,"reviews":[{"note":1,"author":{"username":"ana"}}]}`, ""},
		{"ana", selected + reviews, "{" + shown + `,"reviews":[{"note":1,"author":null}]}`, forbidden(`,0,"author"`)},
		{"", selected + reviews, "null", forbidden("")},
		{"", selected, "{" + shown + "}", ""},
	} {
		l := s.subscribe(t, on, test.as, "subscription { restaurantChanged { entry { "+test.selected+" } } }", "Last-Event-ID", from.String())
		l.wantsData(`{"data":{"restaurantChanged":{"entry":` + test.entry + `}}` + test.errors + `}`)
		l.leave()
	}
}
