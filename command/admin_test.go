package command

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// setupLink is the token of the link for the first account that the program prints.
func (p *program) setupLink() string {
	p.t.Helper()
	for line := range p.stdout {
		if token, found := strings.CutPrefix(strings.TrimSpace(line), p.url+"/admin/setup#"); found {
			return token
		}
		if strings.HasPrefix(line, "Metrics") {
			break
		}
	}
	return ""
}

// admin sends a form to the API of the admin and returns the status.
func (p *program) admin(path, body string) int {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), "POST", p.url+"/admin/api/v1"+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Quire-Admin", "1")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// A start prints a link that makes the first account, as long as there is none.
func TestServePrintsTheLinkForTheFirstAccount(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", "--template", "blank", site)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site)
	former := p.setupLink()
	p.end()
	p = begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site)
	token := p.setupLink()
	if former == "" || token == "" || token == former {
		t.Fatalf("the links are %q and %q", former, token)
	}
	form := `{"token":"` + former + `","name":"Ana","email":"ana@example.org","password":"correct horse"}`
	if status := p.admin("/setup", form); status != 200 {
		t.Errorf("the link of the start before: %d", status)
	}
	if status := p.admin("/setup", strings.Replace(form, former, token, 1)); status != 400 {
		t.Errorf("a link when there is an account: %d", status)
	}
	p.end()
	p = begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site)
	defer p.end()
	if again := p.setupLink(); again != "" {
		t.Errorf("with an account a start prints %q", again)
	}
	if status := p.admin("/session", `{"email":"ana@example.org","password":"correct horse"}`); status != 200 {
		t.Errorf("signing in after a restart: %d", status)
	}
}
