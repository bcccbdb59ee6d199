package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"quire/test/program"
)

// A Peer is one of two programs on separate sites that get the same writes. One is killed
// again and again, or has a bad disk; the other, the twin, gets only what the first has
// acknowledged, and so is the model of what must be there.
type Peer struct {
	Site  string // its folder
	Token string // of full access
	URL   string // where it is served

	shown   atomic.Uint64 // the highest revision that a response has named, which every read must show
	ids     sync.Map      // documentIds by the names that the test gives
	numbers sync.Map      // numeric ids, likewise
}

// NewPeer writes a starter site, in which a page may have every kind of value. It is not
// served yet.
func NewPeer(t *testing.T) *Peer {
	t.Helper()
	p := &Peer{Site: program.NewSite(t)}
	p.Rewrite(t, `"maxLimit": 100`, `"maxLimit": 10000`)
	p.Token = program.NewToken(t, p.Site, "test", "full-access")
	return p
}

// Rewrite replaces text in site.json.
func (p *Peer) Rewrite(t *testing.T, from, to string) {
	t.Helper()
	name := filepath.Join(p.Site, "site.json")
	text, err := os.ReadFile(name)
	if err != nil || !bytes.Contains(text, []byte(from)) {
		t.Fatalf("%s has no %q, %v", name, from, err)
	}
	if err := os.WriteFile(name, bytes.Replace(text, []byte(from), []byte(to), 1), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Op is a write. In its path and body ‹name› stands for the documentId of the document that
// the test calls by that name, and ‹#name› for its numeric id.
type Op struct {
	Method, Path, Body string
	File               []byte // uploaded, with the body as its description
	Makes, Removes     string // names
}

func (o Op) String() string { return fmt.Sprintf("%s %s %.300s", o.Method, o.Path, o.Body) }

var named = regexp.MustCompile(`‹#?[^›]*›`)

// resolve replaces names by the peer's own ids.
func (p *Peer) resolve(text string) string {
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

// Send carries out a write. The error says that there was no response.
func (p *Peer) Send(o Op) (status int, answer []byte, err error) {
	kind, body := "application/json", []byte(p.resolve(o.Body))
	if o.File != nil {
		kind, body = Form(o.File, body)
	}
	status, answer, err = p.Ask(o.Method, p.resolve(o.Path), kind, bytes.NewReader(body))
	if err == nil && status < 300 && o.Makes != "" {
		err = p.learn(o.Makes, answer)
	}
	return status, answer, err
}

// learn takes the ids from the response to a create or an upload.
func (p *Peer) learn(name string, answer []byte) error {
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

func (p *Peer) know(name string, d document) {
	p.ids.Store(name, d["documentId"])
	p.numbers.Store(name, d["id"])
}

// show records a revision that a response names; empty if there is one server.
func (p *Peer) show(revision string) {
	n, _ := strconv.ParseUint(revision, 10, 64)
	for last := p.shown.Load(); n > last && !p.shown.CompareAndSwap(last, n); last = p.shown.Load() {
	}
}

// Ask sends a request with the token, and reads the response. A read shows at least what
// responses have named.
func (p *Peer) Ask(method, path, kind string, body io.Reader) (status int, answer []byte, err error) {
	r, err := http.NewRequest(method, p.URL+path, body)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+p.Token)
	r.Header.Set("Content-Type", kind)
	if shown := p.shown.Load(); shown > 0 && method == "GET" {
		r.Header.Set("Quire-Min-Revision", strconv.FormatUint(shown, 10))
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	p.show(response.Header.Get("Quire-Revision"))
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}
