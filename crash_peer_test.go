package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// A peer is one of two programs on sites of their own that get the same writes.
// One is killed again and again, or has a bad disk; the other, the twin, gets what
// the first has acknowledged and nothing else, and so is the model of what has to
// be there.
type peer struct {
	site, token string
	url         string
	ids         sync.Map // documentIds by the names that the test gives
	numbers     sync.Map // numeric ids, likewise
}

// newPeer makes a site for a peer. Its program is started apart.
func newPeer(t *testing.T, binary string) *peer {
	t.Helper()
	p := &peer{site: filepath.Join(t.TempDir(), "site")}
	return p.furnish(t, binary)
}

// furnish writes the starter site, in which a page may hold everything.
func (p *peer) furnish(t *testing.T, binary string) *peer {
	t.Helper()
	succeed(t, "new", p.site)
	rewrite(t, filepath.Join(p.site, "site.json"), `"maxLimit": 100`, `"maxLimit": 10000`)
	var err error
	if p.token, err = quire(binary, "token", "create", "--name", "test", "--type", "full-access", p.site); err != nil {
		t.Fatal(err)
	}
	return p
}

// op is a write. In its path and body ‹name› stands for the documentId of the
// document that the test calls so, and ‹#name› for its numeric id.
type op struct {
	method, path, body string
	file               []byte // uploaded, with the body as what is said about it
	makes, removes     string // names
}

func (o op) String() string { return fmt.Sprintf("%s %s %.300s", o.method, o.path, o.body) }

var named = regexp.MustCompile(`‹#?[^›]*›`)

// resolve puts the peer's own ids in the place of names.
func (p *peer) resolve(text string) string {
	return named.ReplaceAllStringFunc(text, func(place string) string {
		name := strings.Trim(place, "‹›")
		from := &p.ids
		if number, ok := strings.CutPrefix(name, "#"); ok {
			name, from = number, &p.numbers
		}
		id, _ := from.Load(name)
		return fmt.Sprint(id)
	})
}

// send has a write carried out. The error says that no answer came.
func (p *peer) send(o op) (status int, answer []byte, err error) {
	kind, body := "application/json", []byte(p.resolve(o.body))
	if o.file != nil {
		kind, body = form(o.file, body)
	}
	status, answer, err = p.ask(o.method, p.resolve(o.path), kind, bytes.NewReader(body))
	if err == nil && status < 300 && o.makes != "" {
		err = p.learn(o.makes, answer)
	}
	return status, answer, err
}

// form is a file to be uploaded, with what is said about it.
func form(file, info []byte) (kind string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, _ := w.CreateFormFile("files", "file")
	part.Write(file)
	w.WriteField("fileInfo", string(info))
	w.Close()
	return w.FormDataContentType(), b.Bytes()
}

// learn takes the ids from the answer to a create or an upload.
func (p *peer) learn(name string, answer []byte) error {
	var made struct {
		Data document
	}
	var files []document
	if err := errors.Join(json.Unmarshal(answer, &made), json.Unmarshal(answer, &files)); err != nil && len(files) == 0 && made.Data == nil {
		return err
	}
	if len(files) > 0 {
		made.Data = files[0]
	}
	p.know(name, made.Data)
	return nil
}

func (p *peer) know(name string, d document) {
	p.ids.Store(name, d["documentId"])
	p.numbers.Store(name, d["id"])
}

func (p *peer) ask(method, path, kind string, body io.Reader) (status int, answer []byte, err error) {
	r, err := http.NewRequest(method, p.url+path, body)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", kind)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}
