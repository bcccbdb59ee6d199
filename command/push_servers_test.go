package command

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"quire/app"
)

// reached makes both sites known by the addresses of their servers, with tokens for a push.
func (s *twoSites) reached() {
	s.t.Helper()
	token := func(site, right string) string {
		return strings.TrimSpace(succeed(s.t, "token", "create", "--name", right, "--type", "custom", "--permission", right, site))
	}
	s.t.Setenv(app.PushFromToken, token(s.from, "plugin::quire.follow.read"))
	s.t.Setenv(app.PushToToken, token(s.to, "plugin::quire.push.write"))
}

// A push from and to running servers does the same as one between two folders: content, files
// and additions to the schemas. It is shown first, refused for what both have changed, and
// taken back by an undo.
func TestPushBetweenServers(t *testing.T) {
	for name, by := range map[string]struct{ from, to bool }{"both": {true, true}, "from a server": {from: true}, "to a server": {to: true}} {
		t.Run(name, func(t *testing.T) {
			var cuisine, both string
			s := parted(t, func(p *program, token string) {
				cuisine = doWrite(t, p, token, "POST", "cuisines", `{"name": "Thai"}`)
				both = doWrite(t, p, token, "POST", "cuisines", `{"name": "Both"}`)
			})
			uploaded(t, s.staging, s.token, "new.txt", "the new file")
			s.staging.end()
			edit(t, s.from, cuisineSchema, `"attributes": {`, `"attributes": {"hot": {"type": "boolean"},`)
			s.staging = begin(t, "serve", "--listen", "127.0.0.1:0", s.from)
			s.do(s.staging, "PUT", "cuisines/"+cuisine, `{"hot": true, "name": "Lao"}`)
			s.reached()
			to := s.to
			if by.from {
				s.from = s.staging.url
			}
			if by.to {
				s.to = s.production.url + "/"
			}

			s.do(s.production, "PUT", "cuisines/"+both, `{"name": "Here"}`)
			s.do(s.staging, "PUT", "cuisines/"+both, `{"name": "There"}`)
			if out := s.refused(); len(out.Conflicts) != 1 || out.Conflicts[0].DocumentID != both {
				t.Fatalf("%+v", out)
			}
			s.do(s.production, "PUT", "cuisines/"+both, `{"name": "There"}`)

			dry := s.push("--dry-run")
			if dry.Done || len(dry.Schemas) != 1 || dry.Files != 1 || len(dry.Entries) != 2 {
				t.Fatalf("%+v", dry)
			}
			if got := s.shown(s.production, "cuisines/"+cuisine); !strings.Contains(got, "Thai") {
				t.Errorf("a dry run has written %s", got)
			}
			if out := s.push(); !out.Done || len(out.Missing) > 0 || len(out.Entries) != len(dry.Entries) {
				t.Fatalf("%+v", out)
			}
			s.same("cuisines/" + cuisine + "?fields[0]=name&fields[1]=hot")
			var files []struct{ Name, URL string }
			s.production.get("/api/upload/files", s.token, &files)
			if len(files) != 1 || fetched(t, s.production.url+files[0].URL) != "the new file" {
				t.Errorf("%+v", files)
			}
			if out := s.push(); len(out.Entries) > 0 {
				t.Errorf("a second push: %+v", out)
			}
			succeed(t, "check", to)
			if left, err := filepath.Glob(filepath.Join(to, "data", ".*")); err != nil || len(left) > 0 {
				t.Errorf("left in the data folder: %v, %v", left, err)
			}

			succeed(t, "undo", "--by", "command:push", "--since", "1h", to)
			if got := s.shown(s.production, "cuisines/"+cuisine); !strings.Contains(got, "Thai") {
				t.Errorf("after the undo: %s", got)
			}
		})
	}
}

// A server refuses whoever has no right to a push, and says which token is the wrong one. It
// changes nothing.
func TestPushBetweenServersIsRefused(t *testing.T) {
	s := parted(t, func(p *program, token string) { doWrite(t, p, token, "POST", "cuisines", `{"name": "Thai"}`) })
	s.do(s.staging, "POST", "cuisines", `{"name": "Lao"}`)
	s.reached()
	refused := func(code int, want string, args ...string) {
		t.Helper()
		got, stdout, stderr := command(t, append([]string{"push"}, args...)...)
		if got != code || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %s%s, want %s", got, stdout, stderr, want)
		}
	}
	from, to := s.staging.url, s.production.url
	refused(exitMisuse, "http sends the token", "http://192.0.2.1", s.to)
	refused(exitMisuse, "http sends the token", s.from, "http://192.0.2.1")
	refused(exitMisuse, "--data goes with a site folder", "--data", t.TempDir(), from, to)
	good := os.Getenv(app.PushToToken)
	t.Setenv(app.PushToToken, os.Getenv(app.PushFromToken))
	refused(exitFailed, "does not know the token in "+app.PushToToken, s.from, to)
	t.Setenv(app.PushToToken, s.token) // full access is not enough
	refused(exitFailed, "must be a custom token with plugin::quire.push.write", s.from, to)
	t.Setenv(app.PushToToken, "")
	refused(exitFailed, "neither "+app.PushToToken, s.from, to)
	t.Setenv(app.PushToToken, good)
	t.Setenv(app.PushFromToken, s.token)
	refused(exitFailed, "must be a custom token with plugin::quire.follow.read", from, to)
	s.staging.end()
	refused(exitFailed, "cannot be reached", from, s.to)

	other := newGuide(t)
	succeed(t, "import", write(t, `{"type": "api::cuisine.cuisine", "data": {"name": "Else"}}`), other)
	refused(exitFailed, "share no past", other, to)
	edit(t, s.from, cuisineSchema, `"attributes": {`, `"attributes": {"hot": {"type": "boolean"},`)
	s.production.end()
	edit(t, s.to, cuisineSchema, `"attributes": {`, `"attributes": {"hot": {"type": "integer"},`)
	s.production = begin(t, "serve", "--listen", "127.0.0.1:0", s.to)
	to = s.production.url
	refused(exitFailed, "answers 409: the schemas of the two sites differ", s.from, to)
	if got := s.shown(s.production, "cuisines"); strings.Contains(got, "Lao") {
		t.Error(got)
	}

	for _, body := range []string{"", "nonsense", strings.Repeat("\x28\xb5\x2f\xfd", 1000), sentSite(t, "src/a.json", "src/a.json/b.json"), sentSite(t, "../site.json")} {
		r, _ := http.NewRequest(http.MethodPost, to+"/api/_push?do=true", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+good)
		response, err := http.DefaultClient.Do(r)
		requireNil(t, err)
		var said struct{ Error struct{ Message string } }
		err = json.NewDecoder(response.Body).Decode(&said)
		response.Body.Close()
		if response.StatusCode != 400 || err != nil || !strings.HasPrefix(said.Error.Message, "what was sent is not a whole site") {
			t.Errorf("%d, %+v, %v", response.StatusCode, said, err)
		}
	}
}

// sentSite is a site for a push with empty files of these names.
func sentSite(t *testing.T, names ...string) string {
	var body bytes.Buffer
	z, err := zstd.NewWriter(&body)
	requireNil(t, err)
	files := tar.NewWriter(z)
	for _, name := range names {
		requireNil(t, files.WriteHeader(&tar.Header{Name: name, Mode: 0o600}))
	}
	requireNil(t, errors.Join(files.Close(), z.Close()))
	return body.String()
}
