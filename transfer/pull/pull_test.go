package pull

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const token = "0123456789abcdef-the-token"

// origin is a server with a backup. Each request that its script covers is answered by
// that, in order; all others as a server of Quire does.
type origin struct {
	*httptest.Server
	t         *testing.T
	text      []byte
	tag       string
	script    []http.HandlerFunc
	requested []string // the method, Range and If-Range of each request
}

func newOrigin(t *testing.T, size int) *origin {
	o := &origin{t: t, tag: `"one"`, text: noise(size)}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func noise(size int) []byte {
	text := make([]byte, size)
	for i := range text {
		text[i] = byte(rand.Uint32())
	}
	return text
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != path || r.Header.Get("Authorization") != "Bearer "+token {
		o.t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
	}
	o.requested = append(o.requested, strings.TrimSpace(r.Method+" "+r.Header.Get("Range")+" "+r.Header.Get("If-Range")))
	if r.Method == "GET" && len(o.script) > 0 {
		next := o.script[0]
		o.script = o.script[1:]
		next(w, r)
		return
	}
	o.serve(w, r)
}

func (o *origin) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", o.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(o.text))
}

// cut answers as the server does, and breaks off after so many bytes.
func (o *origin) cut(after int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		o.serve(&cutter{w, after}, r)
		panic(http.ErrAbortHandler)
	}
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p[:min(len(p), c.left)])
	if c.left -= n; err == nil && n < len(p) {
		c.ResponseWriter.(http.Flusher).Flush()
		err = io.ErrShortWrite
	}
	return n, err
}

// remote is the origin as a client sees it, which does not wait between tries.
func (o *origin) remote() *Remote {
	o.t.Helper()
	r, err := Open(o.URL, token, Options{})
	check(o.t, err)
	r.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return r
}

// pull downloads the newest backup.
func (o *origin) pull(r *Remote, folder string) (*File, error) {
	o.t.Helper()
	offer, err := r.Newest(o.t.Context())
	check(o.t, err)
	file, err := r.Download(o.t.Context(), offer, folder)
	if err != nil && strings.Contains(err.Error(), token) {
		o.t.Errorf("the error has the token: %v", err)
	}
	return file, err
}

// require demands that the folder has one file, with the backup of the origin.
func (o *origin) require(file *File, err error) {
	o.t.Helper()
	check(o.t, err)
	text, err := os.ReadFile(file.Path)
	check(o.t, err)
	if !bytes.Equal(text, o.text) || file.Tag != o.tag || file.Size != int64(len(text)) {
		o.t.Errorf("%d bytes of %d, %+v", len(text), len(o.text), file)
	}
	if info, err := os.Stat(file.Path); err != nil || info.Mode().Perm() != 0o600 {
		o.t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	if left := files(o.t, filepath.Dir(file.Path)); len(left) != 1 {
		o.t.Errorf("the folder has %v", left)
	}
}

func files(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	check(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A download that is cut goes on where it ended.
func TestDownloadsThatAreCut(t *testing.T) {
	o := newOrigin(t, 300_000)
	o.script = []http.HandlerFunc{o.cut(100_000), o.cut(0), o.cut(50_000)}
	file, err := o.pull(o.remote(), filepath.Join(t.TempDir(), "data"))
	o.require(file, err)
	want := []string{"HEAD", "GET", `GET bytes=100000- "one"`, `GET bytes=100000- "one"`, `GET bytes=150000- "one"`}
	if strings.Join(o.requested, "\n") != strings.Join(want, "\n") || file.Kept != 0 || file.Received != 300_000 {
		t.Errorf("%q, %+v", o.requested, file)
	}
}

// What a run has received when the server goes away is there for the next one. A complete
// file is not downloaded again.
func TestTheNextRunGoesOn(t *testing.T) {
	o := newOrigin(t, 300_000)
	folder := t.TempDir()
	o.script = []http.HandlerFunc{o.cut(100_000), o.cut(0), o.cut(0), o.cut(0), o.cut(0), o.cut(0), o.cut(0)}
	if _, err := o.pull(o.remote(), folder); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		t.Fatalf("a server that goes away: %v", err)
	}
	o.script = nil
	file, err := o.pull(o.remote(), folder)
	o.require(file, err)
	if file.Kept != 100_000 || file.Received != 200_000 {
		t.Errorf("it went on from %d: %+v", file.Kept, file)
	}
	o.requested = nil
	again, err := o.pull(o.remote(), folder)
	o.require(again, err)
	if len(o.requested) != 1 || again.Kept != 300_000 || again.Received != 0 {
		t.Errorf("a complete file: %q, %+v", o.requested, again)
	}
}

// If the server has another backup by the time a download goes on, that one arrives, and no
// byte of the former.
func TestBackupsThatChange(t *testing.T) {
	o := newOrigin(t, 300_000)
	o.script = []http.HandlerFunc{o.cut(100_000), func(w http.ResponseWriter, r *http.Request) {
		o.text, o.tag = noise(200_000), `"two"`
		o.cut(60_000)(w, r)
	}}
	file, err := o.pull(o.remote(), t.TempDir())
	o.require(file, err)
	if last := o.requested[len(o.requested)-1]; last != `GET bytes=60000- "two"` {
		t.Errorf("the rest: %s", last)
	}
}

// A former download, of another backup, goes when a new one begins.
func TestFormerDownloadsGo(t *testing.T) {
	o := newOrigin(t, 1000)
	folder := t.TempDir()
	_, err := o.pull(o.remote(), folder)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(folder, "quire.db"), nil, 0o600))
	o.text, o.tag = noise(2000), `"two"`
	_, err = o.pull(o.remote(), folder)
	check(t, err)
	if left := files(t, folder); len(left) != 2 {
		t.Errorf("the folder has %v", left)
	}
	check(t, Sweep(folder, time.Now().Add(-time.Hour)))
	if left := files(t, folder); len(left) != 2 {
		t.Errorf("after one for old downloads, the folder has %v", left)
	}
	check(t, Sweep(folder, time.Now().Add(time.Hour)))
	if left := files(t, folder); len(left) != 1 || left[0] != "quire.db" {
		t.Errorf("after one for all, the folder has %v", left)
	}
}

// A server without ranges sends all of it again, as often as it is worth it.
func TestServersWithoutRanges(t *testing.T) {
	o := newOrigin(t, 300_000)
	whole := func(cut int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Range")
			o.cut(cut)(w, r)
		}
	}
	o.script = []http.HandlerFunc{whole(200_000), whole(100_000), whole(1_000_000)}
	file, err := o.pull(o.remote(), t.TempDir())
	o.require(file, err)
	o = newOrigin(t, 10*enough)
	for range 1000 {
		o.script = append(o.script, whole(2*enough))
	}
	if _, err := o.pull(o.remote(), t.TempDir()); err == nil || len(o.requested) > 2*mostTries {
		t.Errorf("one that always cuts at the same place: %d requests, %v", len(o.requested), err)
	}
}

// Two commands do not write to one file.
func TestOneDownloadAtATime(t *testing.T) {
	o := newOrigin(t, 1000)
	folder := t.TempDir()
	o.script = []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
		if _, err := o.remote().Download(t.Context(), Offer{o.tag, 1000}, folder); !errors.Is(err, ErrBusy) {
			t.Errorf("a second one: %v", err)
		}
		o.serve(w, r)
	}}
	file, err := o.pull(o.remote(), folder)
	o.require(file, err)
}

// A link in the place of a download is not followed.
func TestLinksAreNotFollowed(t *testing.T) {
	o := newOrigin(t, 1000)
	folder, r := t.TempDir(), o.remote()
	target := filepath.Join(t.TempDir(), "other")
	check(t, os.WriteFile(target, []byte("mine"), 0o600))
	check(t, os.Symlink(target, filepath.Join(folder, r.name(o.tag))))
	if _, err := o.pull(r, folder); err == nil {
		t.Error("it wrote to a link")
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}
