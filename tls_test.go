package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority signs certificates for tests.
type authority struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	last int64
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, key: newKey(t)}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test root"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, root, root, &a.key.PublicKey, a.key)
	if err == nil {
		a.cert, err = x509.ParseCertificate(der)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign gives a certificate for the names, with the root behind it.
func (a *authority) sign(public any, names ...string) (chain []byte) {
	a.last++
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(1 + a.last), DNSNames: names, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, public, a.key)
	if err != nil {
		a.t.Error(err)
	}
	chain = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})...)
}

// issue writes a certificate for the names and its key into files.
func (a *authority) issue(certFile, keyFile string, names ...string) {
	a.t.Helper()
	key := newKey(a.t)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	writeFile(a.t, certFile, a.sign(&key.PublicKey, names...))
	writeFile(a.t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func writeFile(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// visitor trusts the authority and finds every host at one address.
func (a *authority) visitor(address string) *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots}}
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	a.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func visit(t *testing.T, c *http.Client, url string) *http.Response {
	t.Helper()
	response, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	return response
}

// addressOf is where a program listens, from the line in which it says so.
func addressOf(url string) string {
	_, address, _ := strings.Cut(url, "://")
	return strings.TrimSuffix(address, " leads there")
}

func TestServeOverTLS(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	a, cert, key := newAuthority(t), filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	a.issue(cert, key, "guide.example.org")
	p := begin(t, "serve", "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key, "--http-listen", "127.0.0.1:0", site)
	if !strings.HasPrefix(p.url, "https://") {
		t.Errorf("it listens at %s", p.url)
	}
	plain := addressOf(<-p.stdout)
	answer := visit(t, a.visitor(addressOf(p.url)), "https://guide.example.org/_health")
	if answer.StatusCode != 204 || answer.ProtoMajor != 2 || answer.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%s %s %v", answer.Proto, answer.Status, answer.Header)
	}
	if _, err := tls.Dial("tcp", addressOf(p.url), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	led := visit(t, a.visitor(plain), "http://guide.example.org/api/cuisines?sort=name")
	_, port, _ := net.SplitHostPort(addressOf(p.url))
	if want := "https://guide.example.org:" + port + "/api/cuisines?sort=name"; led.StatusCode != 308 || led.Header.Get("Location") != want {
		t.Errorf("%s %s, want %s", led.Status, led.Header.Get("Location"), want)
	}
	if strange := visit(t, a.visitor(plain), "http://evil.example/"); strange.StatusCode != 421 {
		t.Errorf("another host: %s", strange.Status)
	}
	p.end()
}

// A changed certificate is used from the next connection on. One that cannot be
// used is told once, and the former one stays.
func TestCertificateChanges(t *testing.T) {
	app, log := startGuide(t)
	a, folder := newAuthority(t), t.TempDir()
	c := &certificate{certFile: filepath.Join(folder, "cert.pem"), keyFile: filepath.Join(folder, "key.pem"), log: app.log}
	a.issue(c.certFile, c.keyFile, "one.example")
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
		{"another", func() { a.issue(c.certFile, c.keyFile, "two.example", "more.example") }, "two.example", 1},
		{"a broken certificate", broken(c.certFile), "two.example", 2},
		{"it stays broken", func() {}, "two.example", 2},
		{"a broken key too", broken(c.keyFile), "two.example", 3},
		{"no key", func() { os.Remove(c.keyFile) }, "two.example", 4},
		{"a whole pair", func() { a.issue(c.certFile, c.keyFile, "three.example.org") }, "three.example.org", 5},
		{"the certificate of another key", func() { writeFile(t, c.certFile, a.sign(&newKey(t).PublicKey, "a-longer-name.example.org")) }, "three.example.org", 6},
	} {
		step.change()
		if !c.serves(step.serves) || strings.Count(log.String(), "the changed certificate") != step.logged {
			t.Errorf("%s: it serves %v; the log: %s", step.what, c.pair.Leaf.DNSNames, log)
		}
	}
}

func TestFlagsOfTLS(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	for _, test := range []struct{ flags, want string }{
		{"--tls-cert a.pem", "belong together"},
		{"--tls-key a.pem", "belong together"},
		{"--tls-cert nothing.pem --tls-key nothing.pem", "the certificate cannot be used: open nothing.pem"},
		{"--tls-cert a --tls-key a --domain a.example", "leave out"},
		{"--http-listen :80", "for sites over TLS"},
		{"--acme-directory https://a.example", "is for --domain"},
		{"--domain https://guide.example.org", "no whole domain name"},
		{"--domain guide.example.org:443", "no whole domain name"},
		{"--domain 192.0.2.1", "no whole domain name"},
		{"--domain localhost", "no whole domain name"},
	} {
		code, _, stderr := command(t, append(append([]string{"serve"}, strings.Fields(test.flags)...), site)...)
		if code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit %d, %s", test.flags, code, stderr)
		}
	}
}
