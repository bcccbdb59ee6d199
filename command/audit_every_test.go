package command

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"quire/notify/webhook"
)

// unaudited are the commands that need no line in the audit log, with the reasons.
var unaudited = map[string]string{
	"admin list":         "it changes nothing",
	"assistant list":     "it changes nothing",
	"adopt":              "what it imports is noted as an import, and the rest are files of the site folder",
	"audit":              "it changes nothing",
	"compact":            "it changes no content",
	"completion":         "it changes nothing",
	"console":            "it needs a project with code; TestConsole demands a line of it",
	"demo":               "what is done while it serves is noted",
	"diff":               "it changes nothing",
	"export":             "it changes nothing",
	"health":             "it changes nothing",
	"mcp":                "what an assistant writes is noted; TestAnAssistantOnThisMachine demands a line of it",
	"media move":         "it needs an object store; the tests with one demand a line of it",
	"migrate format":     "it changes no content",
	"migrate plan":       "it changes nothing",
	"new":                "it makes the files of a site, which has no log yet",
	"openapi":            "it changes nothing",
	"promote":            "it needs a follower; the leader notes that it is fenced",
	"push":               "it needs two sites that were the same; TestPush demands a line of it",
	"query":              "it changes nothing",
	"role list":          "it changes nothing",
	"role show":          "it changes nothing",
	"routes":             "it changes nothing",
	"serve":              "what is done while it serves is noted",
	"status":             "it changes nothing",
	"token list":         "it changes nothing",
	"types":              "it changes nothing",
	"undo":               "it changes content, whose history has it",
	"graphql-schema":     "it changes nothing",
	"user list":          "it changes nothing",
	"version":            "it changes nothing",
	"hook secret":        "it changes nothing",
	"webhook deliveries": "it changes nothing",
	"webhook list":       "it changes nothing",
	"webhook test":       "it stores nothing, and sends what stands for nothing",
}

// auditing runs commands on a site, and records which.
type auditing struct {
	*testing.T
	site  string
	given map[string]bool
}

// do runs a command, which must add a line to the audit log.
func (a *auditing) do(action, args string) {
	a.Helper()
	words := append(strings.Fields(args), a.site)
	c, _, err := newRoot().Find(words)
	if err != nil {
		return // a command of the admin, in a program without it
	}
	a.given[strings.TrimPrefix(c.CommandPath(), "quire ")] = true
	requireNoted(a.T, a.site, action, words...)
}

// edit changes a file of the site.
func (a *auditing) edit(file, from, to string) { a.Helper(); edit(a.T, a.site, file, from, to) }

// access runs the commands that change what somebody may do.
func (a *auditing) access() {
	a.Helper()
	for _, test := range []struct{ action, args string }{
		{"token.create", "token create --name deploy --type full-access"},
		{"token.revoke", "token revoke deploy"},
		{"user.create", "user create --username ana --email ana@example.org"},
		{"user.reset-link", "user reset-link ana"},
		{"user.role", "user set-role ana public"},
		{"user.sign-out", "user sign-out ana"},
		{"user.sign-out-all", "user sign-out --all"},
		{"user.block", "user block ana"},
		{"user.unblock", "user unblock ana"},
		{"user.delete", "user delete ana"},
		{"account.create", "admin create --name Eve --email eve@example.org"},
		{"account.create", "admin create --name Ana --email ana@example.org"},
		{"account.reset-link", "admin reset ana@example.org"},
		{"assistant.create", "assistant create --account ana@example.org --name Claude"},
		{"assistant.end", "assistant end Claude"},
		{"account.delete", "admin remove ana@example.org"},
		{"webhook.rotate", "webhook secret --rotate deploy"},
		{"webhook.resend", "webhook resend deploy " + a.undelivered()},
	} {
		a.do(test.action, test.args)
	}
}

// undelivered waits for a delivery that has not arrived, and returns its id.
func (a *auditing) undelivered() string {
	a.Helper()
	for a.Context().Err() == nil {
		var list []webhook.Delivery
		requireNil(a, json.Unmarshal([]byte(succeed(a.T, "webhook", "deliveries", "--json", "deploy", a.site)), &list))
		if len(list) > 0 {
			return list[0].ID
		}
	}
	return ""
}

// data runs the commands that change the data as a whole. It changes schema files before
// some of them.
func (a *auditing) data() {
	a.Helper()
	folder := a.TempDir()
	a.do("data.migrate", "migrate drop api::nothing.nothing")
	a.edit(restaurantSchema, `"seats": {`, `"chairs": {`)
	a.do("data.migrate", "migrate rename "+restaurants+" seats chairs")
	a.edit(restaurantSchema, strings.Replace(seatsNumber, "seats", "chairs", 1), strings.Replace(seatsText, "seats", "chairs", 1))
	a.do("data.evolve", "migrate convert")
	a.edit(restaurantSchema, localizedType, plainType)
	a.do("data.localize", "migrate localization")
	renameStories(a.T, a.site, "site.json")
	a.do("data.evolve", "migrate rename-type api::story.story api::tale.tale")
	archive := filepath.Join(folder, "all.tar.gz")
	succeed(a.T, "export", a.site, archive)
	words := []string{"import", "--replace", a.site, archive}
	a.given["import"], a.given["backup"] = true, true
	requireNoted(a.T, a.site, "data.import", words...)
	requireNoted(a.T, a.site, "data.backup", "backup", a.site, filepath.Join(folder, "b.tar.zst"))
}

// newAuditing returns a site with content, and with a delivery that waits because its
// receiver does not exist.
func newAuditing(t *testing.T) *auditing {
	t.Helper()
	a := &auditing{t, filepath.Join(t.TempDir(), "site"), map[string]bool{}}
	sowSite(t, a.site)
	a.edit("site.json", "{", `{"events": {"allowPrivate": ["127.0.0.1/32"]}, "webhooks": [{"name": "deploy", "url": "http://127.0.0.1:1025/"}], "auth": `+resetAt+`,`)
	return a
}

// waiting makes a webhook fail while the site is served.
func (a *auditing) waiting(p *program) {
	a.Helper()
	token := strings.TrimSpace(succeed(a.T, "token", "create", "--name", "writes", "--type", "full-access", a.site))
	r, _ := http.NewRequestWithContext(a.Context(), "POST", p.url+"/api/cuisines", strings.NewReader(`{"data": {"name": "Soup"}}`))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil || response.StatusCode != http.StatusCreated {
		a.Fatal(response, err)
	}
	response.Body.Close()
	a.undelivered()
}

// Every command that changes what somebody may do, or the data as a whole, adds a line to
// the audit log, with and without a running server. A new command must be run here, or be
// listed above with a reason.
func TestCommandsAreAudited(t *testing.T) {
	live, here := newAuditing(t), newAuditing(t)
	for _, a := range []*auditing{live, here} {
		p := begin(t, "serve", "--listen", "127.0.0.1:0", a.site)
		a.waiting(p)
		if a == live {
			a.access()
			a.data()
		}
		p.end()
	}
	here.access()
	here.data()
	for _, a := range []*auditing{live, here} {
		a.given["restore"], a.given["check"] = true, true // they have tests of their own, below
		for _, c := range leaves(newRoot()) {
			if !a.given[c] && unaudited[c] == "" {
				t.Errorf("quire %s: a line of the audit log is not demanded, and there is no reason", c)
			}
		}
	}
}

// leaves returns the names of the commands that have no subcommands.
func leaves(c *cobra.Command) (names []string) {
	for _, child := range c.Commands() {
		names = append(names, leaves(child)...)
	}
	if !c.HasSubCommands() {
		names = append(names, strings.TrimPrefix(c.CommandPath(), "quire "))
	}
	return names
}

// A repair that fixes something is in the audit log.
func TestRepairIsAudited(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	harmSite(t, site)
	requireNoted(t, site, "data.repair", "check", "--repair", site)
}
