package server_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/content/audit"
	"quire/server"
)

// heldFile is a file in memory, opened as a backup.
type heldFile struct{ *strings.Reader }

func (heldFile) Close() error { return nil }

const backupText = "the whole of a backup"

func heldBackup() (*server.StoredBackup, error) {
	return &server.StoredBackup{Name: "site.tar.zst", Made: time.Date(2026, 11, 20, 3, 0, 0, 5e8, time.UTC), Size: int64(len(backupText)), File: heldFile{strings.NewReader(backupText)}}, nil
}

// openVault opens a site with a backup, and makes a token "edge" that can download it.
func openVault(t *testing.T, newest func() (*server.StoredBackup, error)) *accountSite {
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{NewestBackup: newest})
	h.receivePeople()
	h.tokens["edge"] = h.customToken(t, "edge", auth.ReadBackups.String())
	return h
}

// A backup contains everything, so only a token that names the permission can download it.
func TestWhoMayDownloadABackup(t *testing.T) {
	t.Parallel()
	h := openVault(t, heldBackup)
	h.tokens["none"] = "nonsense"
	h.tokens["readonly"] = createToken(t, h.auth, "readonly", auth.ReadOnly)
	var others []string
	for _, p := range auth.AllPermissions(h.site) {
		others = append(others, p.String())
	}
	h.tokens["all others"] = h.customToken(t, "all others", others...)
	for name, role := range auth.BuiltInAdminRoles() {
		h.receive(t, name, role)
	}
	for as, want := range map[string]int{
		"edge": 200, "": 403, "none": 401, "full": 403, "readonly": 403, "all others": 403,
		"owner": 403, "developer": 403, "editor": 403, "author": 403, "reader": 403,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			a := h.send(as, method, "/api/_backup", "")
			if a.status != want || (want == 200 && method == "GET") != (a.body == backupText) || a.header.Get("Cache-Control") != keepNever {
				t.Errorf("%s as %q: %d %v %.200s", method, as, a.status, a.header, a.body)
			}
		}
		if a := h.send(as, "POST", "/api/_batch", `{"requests":[{"method":"GET","url":"/api/_backup"}]}`); a.status < 400 {
			t.Errorf("in a batch as %q: %d %s", as, a.status, a.body)
		}
	}
}

// A role cannot have the permission.
func TestNoRoleMayDownloadABackup(t *testing.T) {
	t.Parallel()
	h := openVault(t, heldBackup)
	a := h.send("full", "POST", "/api/users-permissions/roles", `{"name": "Edge", "permissions": {"plugin::quire": {"controllers": {"backups": {"read": {"enabled": true}}}}}}`)
	if a.status != 400 || !strings.Contains(a.body, auth.ReadBackups.String()) {
		t.Errorf("a role with it: %d %s", a.status, a.body)
	}
	if kinds := auth.KindsWith(auth.ReadBackups); len(kinds) != 1 || kinds[0] != string(auth.Custom) {
		t.Errorf("kinds of token: %v", kinds)
	}
}

// An interrupted download continues where it ended, as long as the backup is the same.
func TestPartsOfABackup(t *testing.T) {
	t.Parallel()
	h := openVault(t, heldBackup)
	whole := h.send("edge", "GET", "/api/_backup", "")
	tag := whole.header.Get("ETag")
	if !strings.HasPrefix(tag, `"`) || whole.header.Get("Content-Disposition") != `attachment; filename="site.tar.zst"` || whole.header.Get("Last-Modified") != "Fri, 20 Nov 2026 03:00:00 GMT" || whole.header.Get("Content-Type") != "application/zstd" {
		t.Errorf("headers: %v", whole.header)
	}
	for _, test := range []struct {
		name, body string
		headers    []string
		status     int
	}{
		{"the rest", backupText[4:], []string{"Range", "bytes=4-", "If-Range", tag}, 206},
		{"the rest of another", backupText, []string{"Range", "bytes=4-", "If-Range", `"other"`}, 200},
		{"the same again", "", []string{"If-None-Match", tag}, 304},
		{"the same, weakly", "", []string{"If-None-Match", `"x", ` + tag}, 304},
		{"another", backupText, []string{"If-None-Match", `"other"`}, 200},
	} {
		if a := h.send("edge", "GET", "/api/_backup", "", test.headers...); a.status != test.status || a.body != test.body {
			t.Errorf("%s: %d %q", test.name, a.status, a.body)
		}
	}
}

func TestNoBackupToDownload(t *testing.T) {
	t.Parallel()
	for _, newest := range []func() (*server.StoredBackup, error){nil, func() (*server.StoredBackup, error) { return nil, nil }} {
		h := openVault(t, newest)
		if a := h.send("edge", "GET", "/api/_backup", ""); a.status != 404 || !strings.Contains(a.Error.Message, "backup.schedule") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	h := openVault(t, func() (*server.StoredBackup, error) { return nil, errors.New("disk at /secret") })
	if a := h.send("edge", "GET", "/api/_backup", ""); a.status != 500 || strings.Contains(a.body, "secret") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// Two downloads run at a time. A third one is refused until one has ended. HEAD and 304
// take no place.
func TestFewBackupsAreDownloadedAtOnce(t *testing.T) {
	t.Parallel()
	h := openVault(t, func() (*server.StoredBackup, error) {
		b, err := heldBackup()
		b.File = endlessFile{heldFile{strings.NewReader("")}}
		return b, err
	})
	s := httptest.NewServer(h.handler)
	t.Cleanup(s.Close) // after the bodies have been closed
	get := func(method string, headers ...string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/_backup", nil)
		check(t, err)
		r.Header.Set("Authorization", "Bearer "+h.tokens["edge"])
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		a, err := http.DefaultTransport.RoundTrip(r)
		check(t, err)
		t.Cleanup(func() { a.Body.Close() })
		return a
	}
	first, second := get("GET"), get("GET")
	third := get("GET")
	if first.StatusCode != 200 || second.StatusCode != 200 || third.StatusCode != 429 || third.Header.Get("Retry-After") != "30" {
		t.Errorf("%d, %d and %d with %v", first.StatusCode, second.StatusCode, third.StatusCode, third.Header)
	}
	if a, b := get("HEAD"), get("GET", "If-None-Match", first.Header.Get("ETag")); a.StatusCode != 200 || b.StatusCode != 304 {
		t.Errorf("HEAD and the same again: %d, %d", a.StatusCode, b.StatusCode)
	}
	check(t, second.Body.Close())
	for get("GET").StatusCode == 429 { // until the server notices that the second one has ended
	}
}

// endlessFile is a file of a terabyte.
type endlessFile struct{ heldFile }

func (endlessFile) Read(p []byte) (int, error) { return len(p), nil }

func (endlessFile) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		return 1 << 40, nil
	}
	return offset, nil
}

// Each download has a line in the audit log with the token; a 304 has none.
func TestDownloadsOfBackupsAreNoted(t *testing.T) {
	t.Parallel()
	h := openVault(t, heldBackup)
	tag := h.send("edge", "GET", "/api/_backup", "").header.Get("ETag")
	h.send("edge", "GET", "/api/_backup", "", "Range", "bytes=4-", "If-Range", tag)
	h.send("edge", "GET", "/api/_backup", "", "If-None-Match", tag)
	h.send("edge", "HEAD", "/api/_backup", "")
	some, err := audit.NewLog(h.db).Read(audit.Query{Action: "data.download"}, 0)
	check(t, err)
	var lines []audit.Event
	for _, line := range some.Lines {
		var e audit.Event
		check(t, json.Unmarshal(line, &e))
		lines = append(lines, e)
	}
	if len(lines) != 2 || lines[0].By.ID != "edge" || lines[0].Target.Name != "site.tar.zst" || lines[0].From != "192.0.2.1" || lines[1].Details["range"] != "bytes=4-" {
		t.Errorf("%+v", lines)
	}
}
