package command

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/test/authority"
)

func visit(t *testing.T, c *http.Client, url string) *http.Response {
	t.Helper()
	response, err := c.Get(url)
	requireNil(t, err)
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	return response
}

// addressOf returns the address in the line that a program prints.
func addressOf(url string) string {
	_, address, _ := strings.Cut(url, "://")
	return strings.TrimSuffix(address, " leads there")
}

func TestServeOverTLS(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	a, cert, key := authority.New(t), filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	a.Issue(cert, key, "guide.example.org")
	p := begin(t, "serve", "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key, "--http-listen", "127.0.0.1:0", site)
	if !strings.HasPrefix(p.url, "https://") {
		t.Errorf("it listens at %s", p.url)
	}
	plain := addressOf(<-p.stdout)
	answer := visit(t, a.ClientOf(addressOf(p.url)), "https://guide.example.org/_health")
	if answer.StatusCode != 204 || answer.ProtoMajor != 2 || answer.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%s %s %v", answer.Proto, answer.Status, answer.Header)
	}
	if _, err := tls.Dial("tcp", addressOf(p.url), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	led := visit(t, a.ClientOf(plain), "http://guide.example.org/api/cuisines?sort=name")
	_, port, _ := net.SplitHostPort(addressOf(p.url))
	if want := "https://guide.example.org:" + port + "/api/cuisines?sort=name"; led.StatusCode != 308 || led.Header.Get("Location") != want {
		t.Errorf("%s %s, want %s", led.Status, led.Header.Get("Location"), want)
	}
	if strange := visit(t, a.ClientOf(plain), "http://evil.example/"); strange.StatusCode != 421 {
		t.Errorf("another host: %s", strange.Status)
	}
	p.end()
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
		if !refused(code, stderr) || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit %d, %s", test.flags, code, stderr)
		}
	}
}

// A site with a domain gets its certificate by itself, with either kind of proof. After
// a restart it still has the certificate.
func TestAutomaticCertificates(t *testing.T) {
	for _, challenge := range []string{"http-01", "tls-alpn-01"} {
		t.Run(challenge, func(t *testing.T) {
			site := filepath.Join(t.TempDir(), "site")
			succeed(t, "new", site)
			a := authority.New(t)
			s := authority.NewACME(a, challenge)
			flags := []string{"serve", "--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0", "--domain", "guide.example.org", "--acme-directory", s.URL + "/directory", site}
			p := begin(t, flags...)
			site443, site80 := addressOf(p.url), addressOf(<-p.stdout)
			s.Ask(site443, site80)
			if answer := visit(t, a.ClientOf(site443), "https://guide.example.org/_health"); answer.StatusCode != 204 || answer.ProtoMajor != 2 {
				t.Errorf("%s %s", answer.Proto, answer.Status)
			}
			if led := visit(t, a.ClientOf(site80), "http://GUIDE.example.org/x"); led.StatusCode != 308 || !strings.HasPrefix(led.Header.Get("Location"), "https://GUIDE.example.org:") {
				t.Errorf("%s %s", led.Status, led.Header.Get("Location"))
			}
			if _, err := a.ClientOf(site443).Get("https://other.example.org/_health"); err == nil {
				t.Error("there is a certificate for another domain")
			}
			info, err := os.Stat(filepath.Join(site, "data", "certificates"))
			if err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("the folder of certificates: %v, %v", info, err)
			}
			p.end()
			if logged := p.stderr.String(); !strings.Contains(logged, "there is a certificate") {
				t.Errorf("the log: %s", logged)
			}
			again := begin(t, flags...)
			visit(t, a.ClientOf(addressOf(again.url)), "https://guide.example.org/_health")
			again.end()
			if s.Orders() != 1 {
				t.Errorf("%d certificates were ordered", s.Orders())
			}
		})
	}
}

// A program starts and stops even if the authority does not respond.
func TestAuthorityThatDoesNotAnswer(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	requireNil(t, err)
	defer silent.Close()
	begin(t, "serve", "--listen", "127.0.0.1:0", "--http-listen", "", "--domain", "guide.example.org", "--acme-directory", "http://"+silent.Addr().String(), site).end()
}
