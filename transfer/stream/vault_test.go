package stream

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"quire/media"
	"quire/store"
)

// answering is a vault whose server answers all requests with a handler.
func answering(t *testing.T, h http.HandlerFunc) media.Storage {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	v, err := Vault(s.URL+"/guide", "secret")
	check(t, err)
	return v
}

// Whatever a server answers instead of a list, it is not taken for a stream without objects: that
// would begin anew.
func TestAVaultWithoutAList(t *testing.T) {
	for what, h := range map[string]http.HandlerFunc{
		"not found":  http.NotFound,
		"a redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"a page":     func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>") },
		"an object":  func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"name": "a"}`) },
		"nothing":    func(w http.ResponseWriter, r *http.Request) {},
		"cut off":    func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `[{"name": "a", "size": 1},`) },
		"no end":     func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `[`) },
		"an error":   func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusInternalServerError) },
	} {
		err := answering(t, h).List(t.Context(), func(media.Object) error { return nil })
		if !errors.As(err, new(*media.UnreachableError)) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// An object whose transfer breaks off is read on from there, and one that never comes is an error.
func TestAVaultThatBreaksOff(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 1000)
	requests := 0
	v := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != vaultPath+"guide/a" || r.Header.Get("Authorization") != "Bearer secret" {
			http.NotFound(w, r)
			return
		}
		if r.Method == http.MethodGet {
			requests++
		}
		if requests == 1 {
			w.Header().Set("Content-Length", "10000")
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[:4321])
			panic(http.ErrAbortHandler)
		}
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(content))
	})
	file, about, err := v.Open(t.Context(), "a")
	check(t, err)
	got, err := io.ReadAll(&patient{file, mostBreaks})
	if err != nil || !bytes.Equal(got, content) || about.Size != 10_000 || !about.Modified.Equal(time.Unix(1e9, 0)) || requests != 2 {
		t.Errorf("%d bytes in %d requests, %+v, %v", len(got), requests, about, err)
	}
	if _, err := file.Seek(-5, io.SeekEnd); err != nil {
		t.Error(err)
	}
	if end, err := io.ReadAll(file); err != nil || string(end) != "56789" {
		t.Errorf("its end is %q, %v", end, err)
	}
	check(t, file.Close())
	if _, _, err := v.Open(t.Context(), "b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there: %v", err)
	}
}

// No object is larger than a server stores: reading it would have no end.
func TestAVaultWithAnObjectWithoutEnd(t *testing.T) {
	v := answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1152921504606846976")
		w.Header().Set("Last-Modified", time.Unix(1e9, 0).UTC().Format(http.TimeFormat))
	})
	if _, _, err := v.Open(t.Context(), "a"); !errors.As(err, new(*media.UnreachableError)) {
		t.Errorf("an object of an exbibyte: %v", err)
	}
}

// What a server says does nothing in a terminal.
func TestAVaultThatWritesToTheTerminal(t *testing.T) {
	for _, status := range []int{http.StatusForbidden, http.StatusInsufficientStorage} {
		v := answering(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, `{"error": {"message": "\u001b[31m\n\u009b`+strings.Repeat("x", 10_000)+`"}}`)
		})
		err := v.Delete(t.Context(), "a")
		if err == nil || len(err.Error()) > 1000 || strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// What a server refuses is said as a media.Storage does.
func TestAVaultThatRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "object")
	check(t, os.WriteFile(path, []byte("content"), 0o600))
	for status, is := range map[int]func(error) bool{
		412: func(err error) bool { return errors.Is(err, fs.ErrExist) },
		507: func(err error) bool {
			return errors.As(err, new(*store.StorageError)) && strings.Contains(err.Error(), "it is full")
		},
		401: func(err error) bool { return strings.Contains(err.Error(), "backup.stream.tokenFile") },
		403: func(err error) bool {
			return errors.As(err, new(*media.UnreachableError)) && strings.Contains(err.Error(), "it is full")
		},
		200: func(err error) bool { return errors.As(err, new(*media.UnreachableError)) },
	} {
		v := answering(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, `{"error": {"message": "it is full"}}`)
		})
		if err := v.Put(t.Context(), media.LocalFile{Path: path, Name: "a"}); err == nil || !is(err) {
			t.Errorf("%d: %v", status, err)
		}
	}
	gone, err := Vault("http://127.0.0.1:1/guide", "secret")
	check(t, err)
	if err := gone.Put(t.Context(), media.LocalFile{Path: path, Name: "a"}); !errors.As(err, new(*media.UnreachableError)) || strings.Contains(err.Error(), "secret") {
		t.Errorf("a server that is away: %v", err)
	}
}

// silent answers a request with a status, the beginning of a list, and nothing more.
type silent int

func (s silent) RoundTrip(*http.Request) (*http.Response, error) {
	body, to := io.Pipe()
	go io.WriteString(to, `[{"name": "a", "size": 1}`)
	return &http.Response{StatusCode: int(s), Body: body}, nil
}

// A list or a refusal that stops in the middle is an error after the time in which something must
// come.
func TestAVaultThatFallsSilent(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusForbidden} {
		synctest.Test(t, func(t *testing.T) {
			address, err := url.Parse("https://vault.example.org/guide")
			check(t, err)
			v, begun := &vault{address: address, client: &http.Client{Transport: silent(status)}}, time.Now()
			err = v.List(t.Context(), func(media.Object) error { return nil })
			if took := time.Since(begun); !errors.As(err, new(*media.UnreachableError)) || took != vaultIdle {
				t.Errorf("after %v: %v", took, err)
			}
		})
	}
}
