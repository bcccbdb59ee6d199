package listen

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/test/authority"
)

func writeFile(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A changed certificate is used from the next connection on. One that cannot be
// used is one line of the log, and the former one stays.
func TestCertificateChanges(t *testing.T) {
	log := new(strings.Builder)
	a, folder := authority.New(t), t.TempDir()
	c := &pair{certFile: filepath.Join(folder, "cert.pem"), keyFile: filepath.Join(folder, "key.pem"), log: slog.New(slog.NewTextHandler(log, nil))}
	a.Issue(c.certFile, c.keyFile, "one.example")
	if err := c.read(); err != nil {
		t.Fatal(err)
	}
	broken := func(file string) func() {
		return func() { writeFile(t, file, []byte("half a fi")) }
	}
	for _, step := range []struct {
		what   string
		change func()
		serves string
		logged int // lines so far
	}{
		{"as it was", func() {}, "one.example", 0},
		{"another", func() { a.Issue(c.certFile, c.keyFile, "two.example", "more.example") }, "two.example", 1},
		{"a broken certificate", broken(c.certFile), "two.example", 2},
		{"it stays broken", func() {}, "two.example", 2},
		{"a broken key too", broken(c.keyFile), "two.example", 3},
		{"no key", func() { os.Remove(c.keyFile) }, "two.example", 4},
		{"a whole pair", func() { a.Issue(c.certFile, c.keyFile, "three.example.org") }, "three.example.org", 5},
		{"the certificate of another key", func() { writeFile(t, c.certFile, a.Sign(&authority.NewKey(t).PublicKey, "a-longer-name.example.org")) }, "three.example.org", 6},
	} {
		step.change()
		if !c.covers(step.serves) || strings.Count(log.String(), "the changed certificate") != step.logged {
			t.Errorf("%s: it serves %v; the log: %s", step.what, c.used.Leaf.DNSNames, log)
		}
	}
}

// The log says why an authority gives no certificate.
func TestAuthorityThatRefuses(t *testing.T) {
	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	log := new(strings.Builder)
	o := &TLS{Domains: []string{"guide.example.org"}, Directory: refusing.URL}
	o.automatic(t.TempDir()).Fetch(t.Context(), slog.New(slog.NewTextHandler(log, nil)))
	if !strings.Contains(log.String(), "cannot obtain a certificate") || !strings.Contains(log.String(), "404") {
		t.Errorf("the log: %s", log)
	}
}

// Where one address is taken, none of the others stays open, and the error names the
// use of that one.
func TestOpenAllOrNone(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	busy := taken.Addr().String()
	folder := t.TempDir()
	tls := TLS{CertFile: filepath.Join(folder, "cert.pem"), KeyFile: filepath.Join(folder, "key.pem"), Redirect: "127.0.0.1:0"}
	authority.New(t).Issue(tls.CertFile, tls.KeyFile, "guide.example.org")
	for use, change := range map[Purpose]func(*Options){
		ForSite:     func(o *Options) { o.Site, o.Address = nil, busy },
		ForRedirect: func(o *Options) { o.TLS.Redirect = busy },
		ForMetrics:  func(o *Options) { o.Metrics = busy },
	} {
		site, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Site: site, TLS: tls}
		change(&o)
		var failed *AddressError
		if _, err := Open(o, folder, slog.New(slog.DiscardHandler)); !errors.As(err, &failed) || failed.Purpose != use {
			t.Errorf("%s: %v", use, err)
		}
		if err := site.(*net.TCPListener).SetDeadline(time.Now()); use != ForSite && !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: the address of the site stays taken", use)
		}
		site.Close()
	}
}
