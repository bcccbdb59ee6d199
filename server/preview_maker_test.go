package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"quire/auth"
)

// becomes gives a user a role.
func (s *previewSite) becomes(name, role string) {
	s.t.Helper()
	var list struct {
		Roles []struct {
			ID   int
			Type string
		}
	}
	check(s.t, json.Unmarshal([]byte(s.send("full", "GET", "/api/users-permissions/roles", "").body), &list))
	for _, r := range list.Roles {
		if r.Type == role {
			a := s.send("full", "GET", "/api/users?filters[username]="+name+"&pagination[pageSize]=1", "")
			s.send("full", "PUT", "/api/users/"+a.text(s.t, "0.id"), fmt.Sprintf(`{"role": %d}`, r.ID))
			return
		}
	}
	s.t.Fatalf("there is no role %s", role)
}

// The rights of a link are the current rights of its maker.
func TestAPreviewLinkEndsWithItsMaker(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, restaurantAddress)
	status := func(token string) int {
		a := s.show(token, "GET", "/api/restaurants/{r}", "")
		if strings.Contains(a.body, token) {
			t.Errorf("the answer repeats the token: %s", a.body)
		}
		return a.status
	}
	// Of an API token that is revoked, created again with the same name, or expired.
	list := []string{"find", "findOne", "readDraft", "previewLink"}
	for i, action := range list {
		list[i] = "api::restaurant.restaurant." + action
	}
	make := func(life time.Duration, permissions []string) {
		_ = s.auth.RevokeToken(t.Context(), "maker")
		plain, err := s.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "maker", Kind: auth.Custom, Permissions: permissions, Lifetime: life})
		check(t, err)
		s.tokens["maker"] = plain
	}
	make(2*time.Hour, list)
	token := s.link("maker", "/api/restaurants/{r}", `{"expiresIn": "7d"}`)
	if got := status(token); got != 200 {
		t.Fatalf("at first: %d", got)
	}
	if a := s.show(token, "GET", "/api/restaurants/{r}?populate=*", ""); a.status != 200 || strings.Contains(a.body, `"chef"`) {
		t.Errorf("it shows more than its maker may read: %d %s", a.status, a.body)
	}
	s.clock.advance(2 * time.Hour)
	if got := status(token); got != 401 {
		t.Errorf("after its maker has expired: %d", got)
	}
	make(0, list)
	if got := status(token); got != 401 {
		t.Errorf("after its maker was made again: %d", got)
	}
	token = s.link("maker", "/api/restaurants/{r}", "")
	check(t, s.auth.RevokeToken(t.Context(), "maker"))
	if got := status(token); got != 401 {
		t.Errorf("after its maker was revoked: %d", got)
	}
	// Of a user.
	for name, end := range map[string]func(){
		"blocked":  func() { s.change("blocked", `{"blocked": true}`) },
		"password": func() { s.change("password", `{"password": "secret-2"}`) },
		"demoted":  func() { s.becomes("demoted", "plain") },
		"leaving":  func() { s.send("leaving", "POST", "/api/auth/logout", "{}") },
		"deleted":  func() { s.send("full", "DELETE", "/api/users/"+s.idOf("deleted"), "") },
	} {
		s.join(name)
		if a := s.send(name, "POST", s.named("/api/restaurants/{r}/actions/preview-link"), ""); a.status != 403 {
			t.Errorf("who may not make links: %d %s", a.status, a.body)
		}
		s.becomes(name, "editor")
		token := s.link(name, "/api/restaurants/{r}", "")
		if got := status(token); got != 200 {
			t.Errorf("%s: %d at first", name, got)
		}
		if line := fmt.Sprintf(`preview link of user %s, role \"editor\"`, s.idOf(name)); !strings.Contains(s.log.String(), line) {
			t.Errorf("the log does not say whose link it is: %s", line)
		}
		if end(); status(token) != 401 {
			t.Errorf("%s: %d", name, status(token))
		}
	}
	// Of everybody at once.
	token = s.link("full", "/api/restaurants/{r}", "")
	check(t, s.auth.ReplaceSecret(t.Context()))
	if got := status(token); got != 401 {
		t.Errorf("after all were signed out: %d", got)
	}
}

func (s *previewSite) idOf(name string) string {
	s.t.Helper()
	return s.send("full", "GET", "/api/users?filters[username]="+name, "").text(s.t, "0.id")
}

func (s *previewSite) change(name, body string) {
	s.t.Helper()
	if a := s.send("full", "PUT", "/api/users/"+s.idOf(name), body); a.status != 200 {
		s.t.Fatalf("%d %s", a.status, a.body)
	}
}

// If a role in the data file loses rights, the links of its users lose them too.
func TestAPreviewLinkFollowsTheRole(t *testing.T) {
	t.Parallel()
	s := openPreviews(t, restaurantAddress)
	role := func(method, path string, actions ...string) *answer {
		enabled := map[string]any{}
		for _, a := range actions {
			enabled[a] = map[string]bool{"enabled": true}
		}
		text, err := json.Marshal(map[string]any{"name": "Guest", "permissions": map[string]any{"api::restaurant": map[string]any{"controllers": map[string]any{"restaurant": enabled}}}})
		check(t, err)
		return s.send("full", method, path, string(text))
	}
	if a := role("POST", "/api/users-permissions/roles", "find", "findOne", "readDraft", "previewLink"); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s.join("ana")
	s.becomes("ana", "guest")
	var list struct {
		Roles []struct {
			ID   int
			Type string
		}
	}
	check(t, json.Unmarshal([]byte(s.send("full", "GET", "/api/users-permissions/roles", "").body), &list))
	path := ""
	for _, r := range list.Roles {
		if r.Type == "guest" {
			path = fmt.Sprintf("/api/users-permissions/roles/%d", r.ID)
		}
	}
	token := s.link("ana", "/api/restaurants/{r}", "")
	for _, test := range []struct {
		actions            []string
		one, all, publicly int
	}{
		{[]string{"find", "findOne", "readDraft", "previewLink"}, 200, 200, 200},
		{[]string{"find", "readDraft", "previewLink"}, 403, 200, 403},
		{[]string{"findOne", "readDraft", "previewLink"}, 200, 403, 200},
		{[]string{"find", "findOne", "previewLink"}, 403, 403, 200},
		{[]string{"find", "findOne", "readDraft"}, 401, 401, 401},
		{nil, 401, 401, 401},
		{[]string{"find", "findOne", "readDraft", "previewLink"}, 200, 200, 200},
	} {
		if a := role("PUT", path, test.actions...); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		one, all, publicly := s.show(token, "GET", "/api/restaurants/{r}", ""), s.show(token, "GET", "/api/restaurants", ""), s.show(token, "GET", "/api/restaurants/{r}?status=published", "")
		if one.status != test.one || all.status != test.all || publicly.status != test.publicly {
			t.Errorf("%v: %d %d %d", test.actions, one.status, all.status, publicly.status)
		}
	}
	s.send("full", "DELETE", path, "")
	if a := s.show(token, "GET", "/api/restaurants/{r}", ""); a.status != 401 {
		t.Errorf("after the role was deleted: %d", a.status)
	}
}
