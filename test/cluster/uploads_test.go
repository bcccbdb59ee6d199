//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
	"mime/multipart"
	"strings"

	"quire/test/gateway"
)

// fileStore is an object store that nodes reach by a line.
type fileStore struct {
	*gateway.Store
	line *line
}

// photographer uploads files until stop is closed, and looks at each at another node.
func (h *history) photographer(stop <-chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		at := func(step int) *node { return h.site.nodes[(i+step)%len(h.site.nodes)] }
		content := strings.Repeat(fmt.Sprintf("file %d of round %d\n", i, h.round), 500)
		if url := h.upload(at(0), fmt.Sprintf("file-%d-%d.txt", h.round, i), content); url != "" {
			h.shown(at(1), url, content)
		}
	}
}

// upload uploads a file, and returns its URL where that was acknowledged.
func (h *history) upload(n *node, name, content string) (url string) {
	var body strings.Builder
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("files", name)
	if err == nil {
		_, err = part.Write([]byte(content))
	}
	if err != nil || form.Close() != nil {
		h.mayNotCome("a form: %v", err)
		return ""
	}
	status, text, err := n.sendAs(h.site.token, "POST", "/api/upload", form.FormDataContentType(), body.String())
	if h.outcomeOf(status, text, err) != done {
		return ""
	}
	var files []struct{ URL string }
	if err := json.Unmarshal(text, &files); err != nil || len(files) != 1 {
		h.mayNotCome("an upload: %s", text)
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[files[0].URL] = content
	return files[0].URL
}

// shown demands that a node shows a file, if it answers.
func (h *history) shown(n *node, url, content string) {
	status, text, err := n.sendAs(h.site.token, "GET", url, "application/json", "")
	if err == nil && status != 503 && (status != 200 || string(text) != content) {
		h.mayNotCome("%s shows %s as %d %.100s", n.name, url, status, text)
	}
}

// judgeFiles demands that every file is there that was acknowledged, and every one that has
// a record.
func (h *history) judgeFiles() {
	t := h.site.t
	t.Helper()
	for url, content := range h.files {
		for _, n := range h.site.nodes {
			if status, text, err := n.send(h.site, "GET", url, ""); err != nil || status != 200 || string(text) != content {
				t.Errorf("%s was acknowledged, and %s answers %d %.100s, %v", url, n.name, status, text, err)
			}
		}
	}
	status, text, err := h.site.nodes[0].send(h.site, "GET", "/api/upload/files", "")
	var all []struct{ URL string }
	if err != nil || status != 200 || json.Unmarshal(text, &all) != nil || len(all) < len(h.files) {
		t.Errorf("of %d files %d are listed: %d %.300s, %v", len(h.files), len(all), status, text, err)
	}
	for _, file := range all {
		if status, text, err := h.site.nodes[0].send(h.site, "GET", file.URL, ""); err != nil || status != 200 {
			t.Errorf("%s has a record, and is %d %.100s, %v", file.URL, status, text, err)
		}
	}
}
