package follow

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// drafts is a read that takes a right.
const drafts = "/api/restaurants?status=draft"

// signUp makes a user with a role of its own, which may read drafts of restaurants, and signs in.
func (p *pair) signUp(name string) (token, user, role string) {
	p.t.Helper()
	const actions = `{"api::restaurant": {"controllers": {"restaurant": {"find": {"enabled": true}, "findOne": {"enabled": true}, "readDraft": {"enabled": true}}}}}`
	p.must(200, "POST", p.address, "/api/users-permissions/roles", fmt.Sprintf(`{"name": %q, "description": "d", "permissions": %s}`, name, actions))
	var roles struct {
		Roles []struct {
			ID   int
			Name string
		}
	}
	check(p.t, json.Unmarshal([]byte(p.must(200, "GET", p.address, "/api/users-permissions/roles", "").body), &roles))
	for _, r := range roles.Roles {
		if r.Name == name {
			role = fmt.Sprint(r.ID)
		}
	}
	var made struct{ ID int }
	check(p.t, json.Unmarshal([]byte(p.must(201, "POST", p.address, "/api/users", fmt.Sprintf(`{"username": %q, "email": "%s@example.org", "password": "secret-1", "role": %s}`, name, name, role)).body), &made))
	var signed struct{ JWT string }
	a, err := p.ask("POST", p.address, "/api/auth/local", "", fmt.Sprintf(`{"identifier": %q, "password": "secret-1"}`, name))
	check(p.t, err)
	check(p.t, json.Unmarshal([]byte(a.body), &signed))
	return signed.JWT, fmt.Sprint(made.ID), role
}

// A follower gives nothing to a caller whose right has ended longer ago than the lag that it
// names, however slow the line to the leader is. A response from before is no way around that:
// neither one that the follower has, nor one that the client has.
func TestRightsEndWithinTheLag(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	p.must(201, "POST", p.address, drafts, `{"data": {"name": "a secret", "slug": "secret"}}`)
	change := func(method, path, body string) func() {
		return func() { p.must(200, method, p.address, path, body) }
	}
	tokens, ends := map[string]string{}, map[string]func(){}
	users, roles := map[string]string{}, map[string]string{}
	for _, name := range []string{"blocked", "deleted", "password", "role"} {
		tokens[name], users[name], roles[name] = p.signUp(name)
	}
	ends["blocked"] = change("PUT", "/api/users/"+users["blocked"], `{"blocked": true}`)
	ends["deleted"] = change("DELETE", "/api/users/"+users["deleted"], "")
	ends["password"] = change("PUT", "/api/users/"+users["password"], `{"password": "another-1"}`)
	ends["role"] = change("PUT", "/api/users-permissions/roles/"+roles["role"], `{"name": "role", "description": "d", "permissions": {}}`)
	tokens["token"] = strings.TrimSpace(program.Succeed(t, "token", "create", "--name", "revoked", "--type", "full-access", p.site))
	ends["token"] = func() { program.Succeed(t, "token", "revoke", "revoked", p.site) }
	p.startFollower()
	p.awaitDocument(p.at, p.newCook(p.address, "afterwards"))
	p.line.delay.Store(int64(400 * time.Millisecond))
	for name, end := range ends {
		p.requireEnd(name, tokens[name], end)
	}
}

// requireEnd ends a right at the leader while the caller reads at the follower.
func (p *pair) requireEnd(name, token string, end func()) {
	p.t.Helper()
	var tag string
	for range 3 { // so that the response is in the cache
		a, err := p.ask("GET", p.at, drafts, token, "")
		if err != nil || a.status != 200 || !strings.Contains(a.body, "a secret") {
			p.t.Fatalf("%s: before, a read shows %d %s, %v", name, a.status, a.body, err)
		}
		tag = a.header.Get("ETag")
	}
	end()
	ended := time.Now()
	for limit := ended.Add(time.Minute); ; {
		begun := time.Now()
		a, err := p.ask("GET", p.at, drafts, token, "")
		check(p.t, err)
		if a.status == 401 || a.status == 403 {
			break
		}
		if ago := begun.Sub(ended).Seconds(); a.lag() < ago || begun.After(limit) {
			p.t.Fatalf("%s: %.3f s after its right has ended, a caller gets %d, with a lag of %.3f s", name, ago, a.status, a.lag())
		}
	}
	r, err := http.NewRequest("GET", "http://"+p.at+drafts, nil)
	check(p.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("If-None-Match", tag)
	response, err := http.DefaultTransport.RoundTrip(r)
	check(p.t, err)
	response.Body.Close()
	if response.StatusCode != 401 && response.StatusCode != 403 {
		p.t.Errorf("%s: with the tag of what it has, the caller gets %s", name, response.Status)
	}
}
