package server_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

const dishUID = "api::dish.dish"

// Listeners receive what is written, over HTTP/1.1 and HTTP/2, in the order of the
// commits.
func TestEventsAreHeard(t *testing.T) {
	t.Parallel()
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
			s := h.listenTo(t, http2)
			all := h.hear(t, s, "full", "", "Accept-Encoding", "gzip")
			published := h.hear(t, s, "full", "?types=dishes&status=published")
			a := h.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
			id := a.documentID(t)
			all.wants("create dish draft", "publish dish published")
			published.wants("publish dish published")
			h.send("full", "PUT", "/api/dishes/"+id+"?status=draft", `{"data": {"name": "Broth"}}`)
			h.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`)
			h.send("full", "DELETE", "/api/dishes/"+id, "")
			all.wants("update dish draft", "create chef draft", "publish chef published")
			all.wants("delete dish draft", "delete dish published")
			published.wants("delete dish published")
			if m := all.answer; m.Header.Get("Cache-Control") != "no-store" || m.Header.Get("X-Accel-Buffering") != "no" || m.Header.Get("Content-Encoding") != "" ||
				m.Header.Get("Access-Control-Allow-Origin") != "*" || (m.ProtoMajor == 2) != http2 {
				t.Errorf("%s %v", m.Proto, m.Header)
			}
		})
	}
}

// A client that has the header of a stream misses nothing from then on.
func TestAStreamBeginsWithItsHeader(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	s := h.listenTo(t, false)
	for i := range 50 {
		l := h.tryHear(t, s, "full", "?types=dishes&status=draft") // does not wait for the first line
		h.send("full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Soup %d"}}`, i))
		l.wants("create dish draft")
		l.leave()
	}
}

// Invalid parameters are refused with an error that names them.
func TestEventsRefuse(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	s := h.listenTo(t, false)
	h.tokens["reader"] = h.customToken(t, "reader", dishUID+".find")
	h.tokens["nobody"] = h.customToken(t, "nobody", "plugin::i18n.locales.listLocales")
	for _, one := range []struct {
		as, query string
		status    int
		names     string
	}{
		{"full", "?filters[name]=x", 400, "filters"},
		{"full", "?types=nope", 400, "nope"},
		{"full", "?types=section.quote", 400, "section.quote"},
		{"full", "?types=", 400, "types"},
		{"full", "?types[a]=dishes", 400, "types"},
		{"full", "?types=dishes,,chefs", 400, "types"},
		{"full", "?types=" + strings.Repeat("dishes,", 100) + "dishes", 400, "types"},
		{"full", "?locale=xx", 400, "xx"},
		{"full", "?status=both", 400, "status"},
		{"full", "?since=yesterday", 400, "since"},
		{"full", "?since[a]=1", 400, "since"},
		{"full", "?since=0.1", 400, "since"},
		{"full", "?since=-1", 400, "since"},
		{"full", "?include=all", 400, "include"},
		{"full", "?fields=name", 400, "fields"},
		{"full", "?populate=*", 400, "populate"},
		{"full", "?types=dishes&include=entry&fields=nope", 400, "nope"},
		{"full", "?types=users-permissions&include=entry", 400, "users-permissions"},
		{"full", "?types=plugin::users-permissions.user&include=entry&fields=password", 400, "password"},
		{"full", "?since=99999999", 410, "anew"},
		{"nobody", "", 403, ""},
		{"nobody", "?types=dishes", 403, ""},
		{"reader", "?types=chefs", 403, ""},
		{"reader", "?status=draft", 403, ""},
		{"reader", "?types=dishes&status=draft", 403, ""},
		{"reader", "?types=dishes&include=entry&populate=chef", 400, "chef"},
	} {
		a := h.tryHear(t, s, one.as, one.query).answer
		if a.StatusCode == http.StatusOK {
			t.Errorf("%s %s is answered", one.as, one.query)
			continue
		}
		body, err := io.ReadAll(a.Body)
		check(t, err)
		if a.StatusCode != one.status || !strings.Contains(string(body), one.names) {
			t.Errorf("%s %s: %d %s, want %d with %q", one.as, one.query, a.StatusCode, body, one.status, one.names)
		}
	}
	if a := h.send("full", "GET", "/api/_events", "", "Last-Event-ID", "soon"); a.status != 400 || !strings.Contains(a.body, "Last-Event-ID") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := h.send("full", "HEAD", "/api/_events", ""); a.status != 200 || a.body != "" {
		t.Errorf("HEAD: %d %q", a.status, a.body)
	}
	if a := h.send("full", "POST", "/api/_events", ""); a.status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", a.status)
	}
}
