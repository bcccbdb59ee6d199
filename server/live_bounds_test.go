package server_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"testing"
	"testing/fstest"
)

// The number of streams is limited, in total and for each address. Streams take no
// places of requests, and release their own.
func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, siteWith(t, `{"limits": {"streams": 3, "streamsPerAddress": 2, "requests": 1}, "auth": {"trustedProxies": ["127.0.0.1"]}}`), options{})
	s := h.listenTo(t, false)
	from := func(address string) *http.Response {
		return h.tryHear(t, s, "full", "", "X-Forwarded-For", address).answer
	}
	refused := func(a *http.Response, status int) {
		t.Helper()
		body, err := io.ReadAll(a.Body)
		check(t, err)
		if a.StatusCode != status || a.Header.Get("Retry-After") == "" || !json.Valid(body) {
			t.Errorf("%s %v %s", a.Status, a.Header, body)
		}
	}
	first := h.hear(t, s, "full", "", "X-Forwarded-For", "192.0.2.1")
	h.hear(t, s, "full", "", "X-Forwarded-For", "192.0.2.1")
	refused(from("192.0.2.1"), 429)
	h.hear(t, s, "full", "", "X-Forwarded-For", "192.0.2.2")
	refused(from("192.0.2.3"), 503)
	if a := h.send("full", "GET", "/api/chefs", ""); a.status != 200 {
		t.Errorf("streams keep requests out: %d", a.status)
	}
	first.leave()
	a := from("192.0.2.3")
	for a.StatusCode == 503 { // the server has not noticed yet
		a = from("192.0.2.3")
	}
	if a.StatusCode != 200 {
		t.Error(a.Status)
	}
	if n := h.server.Counts(); n.StreamsRated != 1 || n.StreamsRefused < 1 || n.Streams != 3 {
		t.Errorf("%+v", n)
	}
}

// siteWith is the site of the test with other settings in site.json.
func siteWith(t *testing.T, settings string) fstest.MapFS {
	t.Helper()
	folder, source := fstest.MapFS{}, os.DirFS("../testdata/site")
	check(t, fs.WalkDir(source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(source, path)
		folder[path] = &fstest.MapFile{Data: data}
		return err
	}))
	var whole, other map[string]json.RawMessage
	check(t, json.Unmarshal(folder["site.json"].Data, &whole))
	check(t, json.Unmarshal([]byte(settings), &other))
	maps.Copy(whole, other)
	data, err := json.Marshal(whole)
	check(t, err)
	folder["site.json"] = &fstest.MapFile{Data: data}
	return folder
}
