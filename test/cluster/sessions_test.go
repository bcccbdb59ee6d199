//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
)

// session is what a user has who has signed in.
type session struct{ JWT, RefreshToken string }

// password is that of all users.
const password = "goes in and out"

// register makes the users whose sessions clients begin and end.
func (h *history) register() {
	for i := range h.site.nodes {
		body := fmt.Sprintf(`{"username": "visitor%d", "email": "visitor%d@example.org", "password": %q}`, i, i, password)
		status, text, err := h.site.nodes[0].sendAs("", "POST", "/api/auth/local/register", "application/json", body)
		if err != nil || status != 200 {
			h.site.t.Fatalf("%d %s, %v", status, text, err)
		}
	}
}

// signInRepeatedly signs in, goes on and signs out again, at one node after the other, until stop is
// closed.
func (h *history) signInRepeatedly(number int, stop <-chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		h.visit(number, func(step int) *node { return h.site.nodes[(i+step)%len(h.site.nodes)] })
	}
}

// visit is one session. What one node has acknowledged counts at all others. Where no answer
// comes that says what became of the session, it is left alone.
func (h *history) visit(number int, at func(step int) *node) {
	var first, next session
	body := fmt.Sprintf(`{"identifier": "visitor%d", "password": %q}`, number, password)
	if !h.session(at(0), "", "/api/auth/local", body, &first) {
		return
	}
	h.known(at(1), first, 200)
	if !h.session(at(2), "", "/api/auth/refresh", fmt.Sprintf(`{"refreshToken": %q}`, first.RefreshToken), &next) {
		return
	}
	h.known(at(0), next, 200)
	if !h.session(at(1), next.JWT, "/api/auth/logout", `{}`, new(session)) {
		return
	}
	h.known(at(2), next, 401)
	status, text, err := at(0).sendAs("", "POST", "/api/auth/refresh", "application/json", fmt.Sprintf(`{"refreshToken": %q}`, next.RefreshToken))
	if err == nil && status/100 == 2 {
		h.mayNotCome("a session goes on that has ended: %d %.100s", status, text)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions++
}

// session sends what begins, prolongs or ends a session. It reports whether that was done.
func (h *history) session(n *node, token, path, body string, into *session) bool {
	status, text, err := n.sendAs(token, "POST", path, "application/json", body)
	if h.outcomeOf(status, text, err) != done {
		return false
	}
	if err := json.Unmarshal(text, into); err != nil {
		h.mayNotCome("%s: %.300s", path, text)
		return false
	}
	return true
}

// known demands that a node lets a user in, or does not, if it answers.
func (h *history) known(n *node, s session, want int) {
	status, text, err := n.sendAs(s.JWT, "GET", "/api/users/me", "application/json", "")
	if err == nil && status != want && status != 503 {
		h.mayNotCome("%s answers a session with %d instead of %d: %.300s", n.name, status, want, text)
	}
}
