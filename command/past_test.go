package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/app"
)

// A site with a stream is served as it was at a moment, and takes no writes then.
func TestServeOfAMoment(t *testing.T) {
	dir := t.TempDir()
	site := filepath.Join(dir, "site")
	succeed(t, "new", "--template", "guide", site)
	edit(t, site, "site.json", "{", `{"backup": {"stream": {"folder": "../target"}},`)
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "t", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	id, first := p.writeCuisine(t, token, "POST", "/api/cuisines", "First")
	waitForStream(t, site, first)
	_, second := p.writeCuisine(t, token, "PUT", "/api/cuisines/"+id, "Second")
	waitForStream(t, site, second)

	for at, want := range map[string]string{second.Add(-time.Millisecond).Format(time.RFC3339Nano): "First", "latest": "Second"} {
		past := begin(t, "serve", "--at", at, "--listen", "127.0.0.1:0", site)
		var answer struct{ Data struct{ Name string } }
		if status := past.get("/api/cuisines/"+id, token, &answer); status != http.StatusOK || answer.Data.Name != want {
			t.Errorf("at %s: %d %q, want %q", at, status, answer.Data.Name, want)
		}
		var refusal struct{ Error struct{ Message string } }
		if status := past.send(token, "PUT", "/api/cuisines/"+id, `{"data": {"name": "Third"}}`, &refusal); status != http.StatusForbidden || !strings.HasPrefix(refusal.Error.Message, "This is the site as it was at ") {
			t.Errorf("a write at %s: %d %q", at, status, refusal.Error.Message)
		}
		past.end()
	}
	var now struct{ Data struct{ Name string } }
	if p.get("/api/cuisines/"+id, token, &now); now.Data.Name != "Second" {
		t.Errorf("now it is %q", now.Data.Name)
	}
	p.end()

	for args, want := range map[string]string{
		"--at yesterday":                   "is no time",
		"--at 2001-01-01T00:00:00Z":        "there is nothing from before that moment",
		"--at latest --watch":              "exclude each other",
		"--at latest --follow http://a.bc": "exclude each other",
	} {
		if code, _, stderr := command(t, append([]string{"serve", site}, strings.Fields(args)...)...); code == exitDone || !strings.Contains(stderr, want) {
			t.Errorf("serve %s: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}

// writeCuisine writes a cuisine, and returns its id and when it was written.
func (p *program) writeCuisine(t *testing.T, token, method, path, name string) (id string, at time.Time) {
	t.Helper()
	var answer struct {
		Data struct {
			DocumentID string
			UpdatedAt  time.Time
		}
	}
	if status := p.send(token, method, path, fmt.Sprintf(`{"data": {"name": %q}}`, name), &answer); status >= 300 {
		t.Fatal(method, path, status)
	}
	return answer.Data.DocumentID, answer.Data.UpdatedAt
}

// send sends a request with a token, and decodes the response into v.
func (p *program) send(token, method, path, body string, v any) int {
	t := p.t
	t.Helper()
	r, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	requireNil(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	requireNil(t, err)
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(v); err != nil && response.StatusCode != http.StatusNoContent {
		t.Fatal(err)
	}
	return response.StatusCode
}

// waitForStream waits until the stream has what was written at a time.
func waitForStream(t *testing.T, site string, written time.Time) {
	t.Helper()
	for {
		var list app.StreamList
		if code, stdout, _ := command(t, "restore", "--list", "--json", site); code == exitDone {
			requireNil(t, json.Unmarshal([]byte(stdout), &list))
			for _, r := range list.Ranges {
				if !r.To.Before(written) {
					return
				}
			}
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the stream does not get what was written")
		case <-time.After(20 * time.Millisecond):
		}
	}
}
