package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/admin"
	"quire/content/audit"
	"quire/store"
)

// lines is the audit log, the oldest first.
func (o *testAdmin) lines() (list []audit.Event) {
	o.t.Helper()
	l := audit.NewLog(o.db)
	check(o.t, audit.Export(func(from uint64) (audit.Lines, error) { return l.Read(audit.Query{}, from) }, func(line []byte) error {
		var e audit.Event
		err := json.Unmarshal(line, &e)
		list = append(list, e)
		return err
	}))
	return list
}

// watchAccess fails the test where a commit changes what anybody may do, and no line of
// the audit log is in it.
func (o *testAdmin) watchAccess() {
	var mu sync.Mutex
	stop := o.db.Subscribe(func(c store.Commit) {
		mu.Lock()
		defer mu.Unlock()
		for _, bucket := range []string{"admin.accounts", "admin.roles", "admin.links", "tokens"} {
			if c.RecordsOf(bucket) != nil && len(audit.Noted(c)) == 0 {
				o.t.Errorf("commit %d changes %s without a line in the audit log", c.Revision, bucket)
			}
		}
		for _, change := range c.Changes {
			if strings.HasPrefix(change.Type, "plugin::users-permissions.") && len(audit.Noted(c)) == 0 {
				o.t.Errorf("commit %d changes a %s without a line in the audit log", c.Revision, change.Type)
			}
		}
	})
	o.t.Cleanup(stop)
}

// audited are requests of routes that change something, with what the audit log says: its
// action and target. "{id}" and the like stand for what a former request has made.
func audited(v *client) []struct{ route, path, body, action, target string } {
	editor := v.want(201, "POST", "/accounts", `{"name":"Eve","email":"eve@example.org","role":"editor"}`).text("data.id")
	role := v.want(201, "POST", "/roles", `{"name":"Cooks","rights":{}}`).text("data.id")
	author := v.want(201, "POST", "/content/chefs", `{"data":{"name":"Kim"}}`).text("data.documentId")
	return []struct{ route, path, body, action, target string }{
		{"POST /accounts", "", `{"name":"Bob","email":"bob@example.org","role":"editor"}`, "account.create", "account bob@example.org"},
		{"PUT /accounts/:id", "/accounts/" + editor, `{"role":"author"}`, "account.update", "account eve@example.org"},
		{"POST /accounts/:id/reset-link", "/accounts/" + editor + "/reset-link", "", "account.reset-link", "account eve@example.org"},
		{"POST /accounts/:id/invitation", "/accounts/" + editor + "/invitation", "", "account.reset-link", "account eve@example.org"},
		{"DELETE /accounts/:id", "/accounts/" + editor, "", "account.delete", "account eve@example.org"},
		{"POST /roles", "", `{"name":"Waiters","rights":{}}`, "admin-role.create", "admin role Waiters"},
		{"PUT /roles/:id", "/roles/" + role, `{"name":"Chefs","rights":{"files":["read"]}}`, "admin-role.update", "admin role Chefs"},
		{"DELETE /roles/:id", "/roles/" + role, "", "admin-role.delete", "admin role Chefs"},
		{"PUT /session", "", `{"name":"Anna"}`, "account.profile", "account ana@example.org"},
		{"PUT /session/password", "", `{"current":"` + secret + `","password":"another ` + secret + `"}`, "account.password", "account ana@example.org"},
		{"POST /content/*rest", "/content/chefs", `{"data":{"name":"Lee"}}`, "content.create", "api::chef.chef"},
		{"PUT /content/*rest", "/content/chefs/" + author, `{"data":{"name":"Kim Lee"}}`, "content.update", "api::chef.chef " + author},
		{"DELETE /content/*rest", "/content/chefs/" + author, "", "content.delete", "api::chef.chef " + author},
		{"POST /session", "", `{"email":"ana@example.org","password":"another ` + secret + `"}`, "session.begin", "account ana@example.org"},
		{"DELETE /session", "", "", "session.end", "account ana@example.org"},
	}
}

// Nothing is changed in the admin without a line that says who did what, from where: on
// each route that is there. Of a route that this test does not know, an answer that says
// that it was done must have left a line all the same.
func TestEveryRouteIsAudited(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	o.watchAccess()
	v := o.owner()
	if first := o.lines(); first[len(first)-1].Action != "account.first" || first[len(first)-1].By.Name != "ana@example.org" {
		t.Errorf("the first account: %+v", first)
	}
	known := map[string]bool{"POST /setup": true}
	for _, test := range audited(v) {
		known[test.route] = true
		method, path, _ := strings.Cut(test.route, " ")
		if test.path != "" {
			path = test.path
		}
		before := len(o.lines())
		if a := v.ask(method, path, test.body); a.status/100 != 2 {
			t.Errorf("%s: %d %s", test.route, a.status, a.body)
			continue
		}
		noted := o.lines()[before:]
		if len(noted) != 1 || noted[0].Action != test.action || !strings.HasPrefix(noted[0].Target.String(), test.target) {
			t.Errorf("%s: %+v, want %s of %s", test.route, noted, test.action, test.target)
			continue
		}
		if e := noted[0]; e.By.Kind != "admin" || e.By.Name != "ana@example.org" || e.From != "192.0.2.1" || e.Way != audit.ByAdmin || e.Outcome != audit.Done {
			t.Errorf("%s: %+v", test.route, e)
		}
	}
	v.want(200, "POST", "/session", `{"email":"ana@example.org","password":"another `+secret+`"}`)
	for _, route := range admin.Routes() {
		if known[route.Method+" "+route.Path] || route.Method == http.MethodGet || route.Quiet {
			continue
		}
		before := len(o.lines())
		if a := v.ask(route.Method, route.Path, "{}"); a.status/100 == 2 && len(o.lines()) == before {
			t.Errorf("%s %s has changed something without a line in the audit log", route.Method, route.Path)
		}
	}
	for _, e := range o.lines() {
		if text, _ := json.Marshal(e); strings.Contains(string(text), "horse") || strings.Contains(string(text), "Kim") || strings.Contains(string(text), "argon2") {
			t.Errorf("a line has what is nobody's business: %s", text)
		}
	}
}

// What fails and what is refused is noted, without what was typed, and only so often: a
// line is a write.
func TestRefusalsAreAudited(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"enabled": false`, `"max": 3, "interval": "1h"`)
	v := o.owner()
	_, eve := v.addAccount("eve", "author")
	before := len(o.lines())
	stranger := o.client()
	stranger.from = "198.51.100.9:1"
	stranger.want(400, "POST", "/session", `{"email":"ana@example.org","password":"my other secret"}`)
	stranger.want(400, "POST", "/session", `{"email":"my secret","password":"x"}`)
	eve.want(403, "POST", "/accounts", `{"name":"Mallory","email":"mallory@example.org","role":"owner","password":"`+secret+`"}`)
	noted := o.lines()[before:]
	if len(noted) != 3 || slices.ContainsFunc(noted, func(e audit.Event) bool { return e.Outcome != audit.Refused }) {
		t.Fatalf("noted: %+v", noted)
	}
	if e := noted[0]; e.By.Kind != "public" || e.Target.Name != "ana@example.org" || e.From != "198.51.100.9" || e.Action != "session.begin" {
		t.Errorf("a failed sign-in: %+v", e)
	}
	if e := noted[1]; e.Target.Name != "" {
		t.Errorf("a failed sign-in of nobody: %+v", e)
	}
	if e := noted[2]; e.By.Name != "eve@example.org" || e.Action != "POST /accounts" {
		t.Errorf("a refused account: %+v", e)
	}
	for i := range 50 {
		o.client().ask("POST", "/setup", fmt.Sprintf(`{"token":"%064d","password":"`+secret+`"}`, i))
		eve.want(403, "DELETE", "/roles/x", "")
	}
	if n := len(o.lines()) - before; n > 20 {
		t.Errorf("%d lines of strangers", n)
	}
	for _, e := range o.lines() {
		if text, _ := json.Marshal(e); strings.Contains(string(text), "my ") {
			t.Errorf("a line has what was typed: %s", text)
		}
	}
}

// Whoever may change settings reads the log in pages, filters it and takes it along.
func TestReadAudit(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	_, eve := v.addAccount("eve", "author")
	for i := range 60 {
		v.want(201, "POST", "/content/chefs", fmt.Sprintf(`{"data":{"name":"Kim %d"}}`, i))
	}
	first := v.want(200, "GET", "/audit?action=content", "")
	if n := strings.Count(first.body, `"content.create"`); n != 50 || strings.Contains(first.body, "session.begin") {
		t.Errorf("the first page has %d lines", n)
	}
	second := v.want(200, "GET", "/audit?action=content&before="+first.text("meta.next"), "")
	if n := strings.Count(second.body, `"content.create"`); n != 10 || second.text("meta.next") != "0" {
		t.Errorf("the second page has %d lines, then %s", n, second.text("meta.next"))
	}
	all := v.want(200, "GET", "/audit/export?by=eve", "")
	if all.header.Get("Content-Type") != "application/jsonl; charset=utf-8" || strings.Count(all.body, "\n") != 1 || !strings.Contains(all.body, `"session.begin"`) {
		t.Errorf("exported: %v\n%s", all.header, all.body)
	}
	now := time.Now().UTC()
	none := v.want(200, "GET", "/audit?since="+now.Add(time.Hour).Format(time.RFC3339), "")
	if none.text("data") != "[]" {
		t.Errorf("of the future: %s", none.body)
	}
	for _, bad := range []string{"before=x", "since=yesterday", "until=0", "by=" + strings.Repeat("x", 300)} {
		v.want(400, "GET", "/audit?"+bad, "")
	}
	for _, path := range []string{"/audit", "/audit/export"} {
		eve.want(403, "GET", path, "")
		o.client().want(401, "GET", path, "")
		v.want(405, "DELETE", path, "")
	}
	if text := o.log.String(); strings.Contains(text, secret) {
		t.Error("a password is in the log")
	}
}
