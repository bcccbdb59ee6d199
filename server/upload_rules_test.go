package server_test

import (
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema/settings"
)

// newUploadClient serves the sample site with rules for uploads. files lists the files
// in the folder.
func newUploadClient(t *testing.T, rules settings.Upload, permissions ...string) (c *client, files func() []string) {
	t.Helper()
	folder, site := t.TempDir(), sampleSite(t)
	site.Settings.Upload = rules
	s, keys, _ := open(t, folder, site, slog.New(slog.DiscardHandler))
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	tokens := map[string]string{"full": createToken(t, keys, "full", auth.FullAccess)}
	if permissions != nil {
		token, err := keys.CreateToken(t.Context(), auth.TokenSpec{Name: "custom", Kind: auth.Custom, Permissions: permissions})
		check(t, err)
		tokens["custom"] = token
	}
	files = func() (names []string) {
		entries, err := os.ReadDir(filepath.Join(folder, "uploads"))
		check(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	return &client{t: t, url: h.URL, tokens: tokens}, files
}

func TestUploadRules(t *testing.T) {
	t.Parallel()
	c, files := newUploadClient(t, settings.Upload{SizeLimit: 1000, Allow: []string{"image/*", "text/*"}, Deny: []string{"text/html"}})
	stored := c.uploaded(part{"files", "a.txt", "text"})[0]
	for name, test := range map[string]struct {
		part    part
		status  int
		message string
	}{
		"too large":           {part{"files", "large.txt", strings.Repeat("a", 1001)}, 413, "large.txt is larger than 1000 bytes"},
		"too large elsewhere": {part{"other", "large.txt", strings.Repeat("a", 1001)}, 413, "large.txt is larger than 1000 bytes"},
		"not allowed":         {part{"files", "a.png", "%PDF-1.7"}, 400, "a.png is of the type application/pdf, which is not taken here"},
		"denied":              {part{"files", "a.png", "<!DOCTYPE html>"}, 400, "a.png is of the type text/html, which is not taken here"},
	} {
		for _, path := range []string{"/api/upload", "/api/upload?id=" + stored.DocumentID} {
			a := c.upload(path, part{"files", "fine.txt", "text"}, test.part)
			if a.status != test.status || a.Error.Message != test.message {
				t.Errorf("%s, %s: %d %s", name, path, a.status, a.Error.Message)
			}
		}
	}
	if left := files(); len(left) != 1 {
		t.Errorf("what was refused left %v", left)
	}
	if a := c.upload("/api/upload", part{"files", "a.txt", strings.Repeat("a", 1000)}); a.status != 201 {
		t.Errorf("the largest file: %d %s", a.status, a.body)
	}
}

// Each action needs its own permission. Showing files in an entry needs the right to
// change the entry.
func TestUploadPermissions(t *testing.T) {
	t.Parallel()
	rules := settings.Upload{SizeLimit: 1 << 20}
	text := part{"files", "a.txt", "text"}
	for _, granted := range []string{"find", "findOne", "upload", "destroy"} {
		c, _ := newUploadClient(t, rules, "plugin::upload.content-api."+granted)
		id := c.uploaded(text)[0].DocumentID
		document := c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Ro"}}`).documentID(t)
		body, kind := form(t, text)
		linking, linkingKind := form(t, text, part{"ref", "", "api::restaurant.restaurant"}, part{"refId", "", document}, part{"field", "", "gallery"})
		for _, test := range []struct{ method, path, body, kind, action string }{
			{"GET", "/api/upload/files", "", "", "find"},
			{"GET", "/api/upload/files/page", "", "", "find"},
			{"GET", "/api/upload/files/" + id, "", "", "findOne"},
			{"POST", "/api/upload", body, kind, "upload"},
			{"POST", "/api/upload?id=" + id, body, kind, "upload"},
			{"POST", "/api/upload", linking, linkingKind, "nothing"},
			{"DELETE", "/api/upload/files/" + id, "", "", "destroy"},
		} {
			a := c.send("custom", test.method, test.path, test.body, "Content-Type", test.kind)
			if allowed := a.status < 300; allowed != (granted == test.action) || !allowed && a.status != 403 {
				t.Errorf("%s %s with %s: %d %s", test.method, test.path, granted, a.status, a.body)
			}
		}
	}
	c, _ := newUploadClient(t, rules, "plugin::upload.content-api.upload", "api::restaurant.restaurant.update")
	document := c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Ro"}}`).documentID(t)
	linking, kind := form(t, text, part{"ref", "", "api::restaurant.restaurant"}, part{"refId", "", document}, part{"field", "", "gallery"})
	if a := c.send("custom", "POST", "/api/upload", linking, "Content-Type", kind); a.status != 201 {
		t.Errorf("with both: %d %s", a.status, a.body)
	}
}
