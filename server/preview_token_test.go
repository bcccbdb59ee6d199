package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/schema"
	"quire/server"
)

// Only tokens of this site are accepted, until they expire.
func TestPreviewTokensAreNotTakenForOthers(t *testing.T) {
	t.Parallel()
	s, foreign := openPreviews(t, restaurantAddress), openPreviews(t, restaurantAddress)
	s.join("ana")
	token := s.link("full", "/api/restaurants/{r}", `{"expiresIn": "1m"}`)
	if a := s.send("", "GET", s.named("/api/restaurants/{r}"), "", "Authorization", "Bearer "+token); a.status != 401 {
		t.Errorf("as a bearer: %d %s", a.status, a.body)
	}
	flipped := []string{
		"", "x", "null", s.tokens["full"], s.tokens["ana"], foreign.link("full", "/api/restaurants/{r}", ""), token + "=", token + "A", token[1:], token[:len(token)-1],
		token + "." + token, strings.ToUpper(token), strings.Repeat("A", 3000), url.QueryEscape("{{token}}"), url.QueryEscape(token + "\n"),
	}
	for i := 0; i < len(token); i += 3 {
		other := byte('A')
		if token[i] == 'A' {
			other = 'B'
		}
		flipped = append(flipped, token[:i]+string(other)+token[i+1:])
	}
	for _, shown := range flipped {
		if a := s.show(shown, "GET", "/api/restaurants/{r}", ""); a.status != 401 || a.header.Get("Cache-Control") != keepNever {
			t.Errorf("%.50q: %d %v %s", shown, a.status, a.header, a.body)
		}
	}
	path := s.named("/api/restaurants/{r}")
	for _, twice := range []string{"?previewToken=" + token + "&previewToken=" + token, "?previewToken[]=" + token, "?previewToken[a]=" + token, "?[previewToken]=" + token, "?%5BpreviewToken%5D=" + token, "?previewToken"} {
		if a := s.send("", "GET", path+twice, ""); a.status != 400 || strings.Contains(a.body, token) {
			t.Errorf("%.30s: %d %s", twice, a.status, a.body)
		}
	}
	if a := s.send("", "GET", path+"?preview%54oken="+token, ""); a.status != 200 {
		t.Errorf("in another spelling: %d %s", a.status, a.body)
	}
	if a := s.send("full", "GET", path+"?previewToken="+token, ""); a.status != 200 || a.header.Get("X-Quire-Plan") != "" {
		t.Errorf("beside a credential: %d %s", a.status, a.body)
	}
	if a := s.send("", "GET", path+"?previewToken="+token, "", "Authorization", "Bearer nonsense"); a.status != 401 {
		t.Errorf("beside a credential that is not valid: %d %s", a.status, a.body)
	}
	s.clock.advance(59 * time.Second)
	if a := s.show(token, "GET", "/api/restaurants/{r}", ""); a.status != 200 {
		t.Errorf("before its end: %d %s", a.status, a.body)
	}
	s.clock.advance(time.Second)
	if a := s.show(token, "GET", "/api/restaurants/{r}", ""); a.status != 401 || !strings.Contains(a.body, "expired") {
		t.Errorf("at its end: %d %s", a.status, a.body)
	}
}

// Two links to one document share no cached queries if the rights of their makers
// differ, nor do links and other callers.
func TestPreviewLinksShareNoAnswers(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, restaurantAddress)
	plain, err := s.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "narrow", Kind: auth.Custom, Permissions: []string{
		"api::restaurant.restaurant.find", "api::restaurant.restaurant.findOne", "api::restaurant.restaurant.readDraft", "api::restaurant.restaurant.previewLink",
	}})
	check(t, err)
	s.tokens["narrow"] = plain
	wide, narrow, other := s.link("full", "/api/restaurants/{r}", ""), s.link("narrow", "/api/restaurants/{r}", ""), s.link("full", "/api/restaurants/{other}", "")
	for range 3 {
		const path = "/api/restaurants?populate=chef&status=draft"
		if a := s.show(wide, "GET", path, ""); !strings.Contains(a.body, `"chef":{`) || strings.Contains(a.body, "SECRET") {
			t.Error(a.body)
		}
		if a := s.show(narrow, "GET", path, ""); strings.Contains(a.body, `"chef"`) || !strings.Contains(a.body, "Draft") {
			t.Error(a.body)
		}
		if a := s.show(other, "GET", path, ""); !strings.Contains(a.body, "SECRET") || strings.Contains(a.body, `"Draft"`) {
			t.Error(a.body)
		}
		if a := s.send("full", "GET", path, ""); !strings.Contains(a.body, "SECRET") || !strings.Contains(a.body, `"Draft"`) || a.header.Get("ETag") == "" {
			t.Error(a.body)
		}
		if a := s.send("", "GET", path, ""); a.status != 403 {
			t.Error(a.body)
		}
	}
	first := s.show(wide, "GET", "/api/restaurants?locale=*&pagination[after]=&pagination[limit]=1", "").text(t, "meta.pagination.next")
	if a := s.send("full", "GET", "/api/restaurants?status=draft&locale=*&pagination[after]="+first+"&pagination[limit]=1", ""); a.status != 400 {
		t.Errorf("a cursor of a link in other hands: %d %s", a.status, a.body)
	}
	if a := s.show(wide, "GET", "/api/restaurants?locale=*&pagination[limit]=1&pagination[after]="+first, ""); !strings.Contains(a.body, "Brouillon") || !strings.Contains(a.body, `"next":null`) {
		t.Errorf("the second page: %d %s", a.status, a.body)
	}
}

// The token is in no log line, whatever happens to the request.
func TestPreviewTokensAreNotLogged(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, restaurantAddress)
	token := s.link("full", "/api/restaurants/{r}", "")
	for _, path := range []string{"/api/restaurants", "/api/restaurants/{r}", "/api/chefs", "/api/nothing", "/uploads/x", "/api/restaurants?filters[x]=1", "/api/restaurants?populate[a]=" + token} {
		for _, method := range []string{"GET", "POST", "OPTIONS", "PATCH"} {
			a := s.show(token, method, path, "{}")
			if strings.Contains(path, token) {
				continue // the text itself names it
			}
			if strings.Contains(fmt.Sprint(a.header, a.body), token) {
				t.Errorf("%s %s repeats the token: %v %s", method, path, a.header, a.body)
			}
		}
	}
	if log := s.log.String(); strings.Contains(log, token) || strings.Contains(log, "previewToken") || !strings.Contains(log, `preview link of token \"full\"`) {
		t.Error(log)
	}
}

// A redirect to TLS of a URL with a token is not cached and sends no Referer.
func TestPreviewTokensAreSentOnWithCare(t *testing.T) {
	t.Parallel()
	h := server.Redirect(func(string) bool { return true }, "443")
	w := request(h, "", http.MethodGet, "/api/dishes?previewToken=x", "")
	if w.Code != 308 || w.Header().Get("Cache-Control") != "private, no-store" || w.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// site.json cannot set an address of previews for a type that has none.
func TestPreviewAddressesAreChecked(t *testing.T) {
	t.Parallel()
	for _, addresses := range []string{`{"api::category.category": "https://x.org/"}`, `{"api::restaurant.restaurant": "https://x.org/{secret_note}"}`, `{"api::restaurant.restaurant": "https://{slug}.org/"}`} {
		if _, err := schema.Load(previewFolder(t, addresses)); err == nil || !strings.Contains(err.Error(), "preview[") {
			t.Errorf("%s: %v", addresses, err)
		}
	}
}

// The holder of a link can neither name what is hidden, nor is any response affected by
// it.
func TestPreviewsHideWhatIsHidden(t *testing.T) {
	t.Parallel()
	w := openTwins(t)
	for _, s := range w.sides {
		s.ids["link"] = s.send("full", "POST", "/api/restaurants/"+s.ids["api::restaurant.restaurant"]+"/actions/preview-link", "").text(t, "data.token")
	}
	restaurant := w.site.Type("api::restaurant.restaurant")
	refused, left := 0, 0
	for _, way := range waysTo(restaurant, nil, 2) {
		for _, q := range way.queries(w.sides[0].mark) {
			for _, path := range []string{"/api/restaurants", "/api/restaurants/{" + restaurant.UID + "}"} {
				a := w.ask("", "GET", path+"?"+q+"&previewToken={link}", "")
				switch {
				case a.status == 400 || a.status == 403:
					refused++
				case a.status != 200 || len(way.hops) < 2:
					t.Errorf("%s?%s: %d %s", path, q, a.status, a.body)
				default:
					left++ // after a list that previews leave out
				}
				if a.status == 200 && (strings.Contains(a.body, "HIDDEN") || strings.Contains(a.body, way.hidden.Name)) {
					t.Errorf("%s?%s: %s", path, q, a.body)
				}
			}
		}
	}
	if t.Logf("%d refused, %d left out", refused, left); refused < 500 {
		t.Error("those are too few")
	}
	for _, q := range []string{"", "populate=*", "populate[*]=4", "populate[sections][populate]=*", "populate[reviews][populate]=*", "populate[reviews][populate][author][populate]=*"} {
		a := w.ask("", "GET", "/api/restaurants?"+q+"&previewToken={link}", "")
		for _, secret := range []string{"HIDDEN", "$argon2", "sessionEpoch", `"password"`, "Token", "secret_note", "door_code"} {
			if a.status != 200 || strings.Contains(a.body, secret) {
				t.Errorf("%s: %d %s", q, a.status, a.body)
			}
		}
		for at, mark := range sources(t, w.ask("", "GET", "/api/restaurants?"+q+"&previewToken={link}", "", "X-Quire-Source", "1").body) {
			if strings.Contains(fmt.Sprint(at, mark), "secret_note") || strings.Contains(fmt.Sprint(at, mark), "door_code") {
				t.Errorf("%s: a mark names %s", q, mark)
			}
		}
	}
}
