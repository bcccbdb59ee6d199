package pull

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Only an address that keeps the token secret is used.
func TestAddresses(t *testing.T) {
	for from, want := range map[string]string{
		"https://cms.example.org":               "https://cms.example.org/api/_backup",
		"https://cms.example.org/":              "https://cms.example.org/api/_backup",
		"https://cms.example.org/api/_backup":   "https://cms.example.org/api/_backup",
		"https://cms.example.org/below/":        "https://cms.example.org/below/api/_backup",
		"http://127.0.0.1:1337":                 "http://127.0.0.1:1337/api/_backup",
		"http://localhost:1337":                 "http://localhost:1337/api/_backup",
		"http://[::1]:1337":                     "http://[::1]:1337/api/_backup",
		"http://127.0.0.1.example.org":          "",
		"http://cms.example.org":                "",
		"https://me:secret@cms.example.org":     "",
		"https://cms.example.org/?token=x":      "",
		"https://cms.example.org/#x":            "",
		"cms.example.org":                       "",
		"file:///etc/passwd":                    "",
		"ftp://cms.example.org":                 "",
		"https://":                              "",
		"":                                      "",
		"https:cms.example.org":                 "",
		"https://a" + strings.Repeat("a", 3000): "",
	} {
		got, err := addressOf(from, false)
		if wrong := new(AddressError); got != want || errors.As(err, &wrong) != (want == "") {
			t.Errorf("%s: %s, %v", from, got, err)
		} else if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error repeats a password: %v", from, err)
		}
	}
	if got, err := addressOf("http://cms.example.org", true); err != nil || got != "http://cms.example.org"+path {
		t.Errorf("http that is allowed: %s, %v", got, err)
	}
}

func TestTokensThatNobodyHas(t *testing.T) {
	for _, wrong := range []string{"", "a b", "a\r\nX: y", "ä", strings.Repeat("x", mostToken+1)} {
		if _, err := Open("https://cms.example.org", wrong, Options{}); !errors.Is(err, ErrToken) || len(err.Error()) > 200 {
			t.Errorf("%.10q: %v", wrong, err)
		}
	}
}

// Nobody but the server that was named gets the token.
func TestRedirectsAreNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it was sent %v", r.Header) }))
	defer other.Close()
	from := httptest.NewServer(http.RedirectHandler(other.URL+path, http.StatusTemporaryRedirect))
	defer from.Close()
	r, err := Open(from.URL, token, Options{})
	check(t, err)
	_, err = r.Newest(t.Context())
	if status := new(StatusError); !errors.As(err, &status) || status.Status != 307 || !strings.Contains(err.Error(), "redirects") {
		t.Errorf("%v", err)
	}
}

// Over TLS, a download that is cut goes on, too. A certificate that is not valid ends it
// before the token is sent, and there is no second try.
func TestCertificates(t *testing.T) {
	o := newOrigin(t, 300_000)
	secure := httptest.NewUnstartedServer(o)
	secure.EnableHTTP2 = true
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	r, err := Open(secure.URL, token, Options{})
	check(t, err)
	r.pause = func(context.Context, time.Duration) error { t.Error("it tries again"); return nil }
	_, err = r.Newest(t.Context())
	if invalid := new(tls.CertificateVerificationError); !errors.As(err, &invalid) || len(o.requested) > 0 {
		t.Errorf("an unknown certificate: %q, %v", o.requested, err)
	}
	r.pause = func(context.Context, time.Duration) error { return nil }
	r.client.Transport.(*http.Transport).TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig
	o.script = []http.HandlerFunc{o.cut(100_000)}
	file, err := o.pull(r, t.TempDir())
	o.require(file, err)
}

// What will not change by itself is reported at once, and what may is tried again.
func TestStatuses(t *testing.T) {
	for status, tries := range map[int]int{301: 1, 400: 1, 401: 1, 403: 1, 404: 1, 204: 1, 429: mostTries, 500: mostTries, 503: mostTries} {
		o := newOrigin(t, 1000)
		for range 10 {
			o.script = append(o.script, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(status)
			})
		}
		r := o.remote()
		var pauses []time.Duration
		r.pause = func(_ context.Context, d time.Duration) error {
			pauses = append(pauses, d)
			return nil
		}
		_, err := o.pull(r, t.TempDir())
		if wrong := new(StatusError); !errors.As(err, &wrong) || wrong.Status != status || len(o.requested) != tries+1 || len(pauses) != tries-1 {
			t.Errorf("%d: %q %v, %v", status, o.requested, pauses, err)
		}
		if tries > 1 && (pauses[0] != 7*time.Second || pauses[4] != 16*time.Second) {
			t.Errorf("%d: the pauses are %v", status, pauses)
		}
	}
}

// A response that does not say which bytes it has is not taken for a backup.
func TestResponsesThatAreNoBackup(t *testing.T) {
	partial := func(tag, rest string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", tag)
			w.Header().Set("Content-Range", rest)
			w.WriteHeader(http.StatusPartialContent)
			w.Write(make([]byte, 100))
		}
	}
	for name, wrong := range map[string]http.HandlerFunc{
		"a part of another": partial(`"two"`, "bytes 100-999/1000"),
		"another part":      partial(`"one"`, "bytes 200-999/1000"),
		"of another size":   partial(`"one"`, "bytes 100-999/1001"),
		"a part of nothing": partial(`"one"`, ""),
		"without a tag":     func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 100)) },
		"with a weak tag": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", `W/"one"`)
			w.Write(make([]byte, 100))
		},
		"without a size": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("ETag", `"one"`)
			w.(http.Flusher).Flush()
			w.Write(make([]byte, 100))
		},
	} {
		o := newOrigin(t, 1000)
		o.script = []http.HandlerFunc{o.cut(100), wrong}
		if _, err := o.pull(o.remote(), t.TempDir()); !errors.Is(err, ErrNoServer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// More than the user allows is not downloaded, and not more than was announced.
func TestSizes(t *testing.T) {
	o := newOrigin(t, 1000)
	r, err := Open(o.URL, token, Options{MostBytes: 999})
	check(t, err)
	_, err = r.Newest(t.Context())
	if large := new(TooLargeError); !errors.As(err, &large) || large.Size != 1000 || large.Most != 999 {
		t.Errorf("one that is too large: %v", err)
	}
	folder := t.TempDir()
	_, err = r.Download(t.Context(), Offer{`"zero"`, 500}, folder)
	if large := new(TooLargeError); !errors.As(err, &large) {
		t.Errorf("one that is too large by now: %v", err)
	}
	o.script = []http.HandlerFunc{o.cut(100), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", o.tag)
		w.Header().Set("Content-Range", "bytes 100-999/1000")
		w.WriteHeader(http.StatusPartialContent)
		w.Write(append(o.text[100:], make([]byte, 5000)...))
	}}
	file, err := o.pull(o.remote(), t.TempDir())
	o.require(file, err)
	r = o.remote()
	longer := filepath.Join(folder, r.name(o.tag))
	check(t, os.WriteFile(longer, make([]byte, 2000), 0o600))
	file, err = o.pull(r, folder)
	o.require(file, err)
}

// A connection that always breaks off is an error that says so.
func TestServersThatBreakOff(t *testing.T) {
	o := newOrigin(t, 1000)
	for range mostTries {
		o.script = append(o.script, o.cut(10))
	}
	if _, err := o.pull(o.remote(), t.TempDir()); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "broke off") {
		t.Errorf("%v", err)
	}
}

// A server that stops sending is given up.
func TestServersThatStall(t *testing.T) {
	o := newOrigin(t, 1000)
	for range mostTries {
		o.script = append(o.script, func(w http.ResponseWriter, r *http.Request) {
			o.announce(w)
			<-r.Context().Done()
		})
	}
	r := o.remote()
	r.idle = 20 * time.Millisecond
	_, err := r.Download(t.Context(), Offer{o.tag, 1000}, t.TempDir())
	if stalled := new(StalledError); !errors.As(err, &stalled) {
		t.Errorf("%v", err)
	}
}

// Nothing waits for the body of an error, which may never come.
func TestErrorsThatStall(t *testing.T) {
	o := newOrigin(t, 1000)
	o.script = []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		w.WriteHeader(http.StatusForbidden)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}}
	_, err := o.pull(o.remote(), t.TempDir())
	if status := new(StatusError); !errors.As(err, &status) || status.Status != http.StatusForbidden {
		t.Errorf("%v", err)
	}
}

// A server that sends so slowly that it would never end is given up, too.
func TestServersThatAreSlow(t *testing.T) {
	o := newOrigin(t, 1000)
	for range mostTries {
		o.script = append(o.script, o.cut(100))
	}
	r := o.remote()
	hours := 0
	r.now = func() time.Time { hours++; return time.Unix(0, 0).Add(time.Duration(hours) * time.Hour) }
	_, err := r.Download(t.Context(), Offer{o.tag, 1000}, t.TempDir())
	if stalled := new(StalledError); !errors.As(err, &stalled) {
		t.Errorf("%v", err)
	}
}

// announce sends the header of the backup, and nothing of it.
func (o *origin) announce(w http.ResponseWriter) {
	w.Header().Set("ETag", o.tag)
	w.Header().Set("Content-Length", strconv.Itoa(len(o.text)))
	w.(http.Flusher).Flush()
}
