package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/acme"
)

// acmeServer is an authority as RFC 8555 describes it, as far as one client with
// one order at a time notices. It does not look at signatures, but it does ask the
// site for the challenge that it offers.
type acmeServer struct {
	*authority
	*httptest.Server
	challenge   string // its type
	site, plain string // addresses where the site is asked

	mu     sync.Mutex
	domain string
	valid  bool
	chain  []byte
	orders int
}

func newACMEServer(a *authority, challenge string) *acmeServer {
	s := &acmeServer{authority: a, challenge: challenge}
	routes := http.NewServeMux()
	for path, answer := range map[string]func(payload []byte) (status int, body any){
		"/directory": s.directory, "/nonce": s.nothing, "/account": s.account, "/order": s.order, "/authorization": s.authorization,
		"/challenge": s.prove, "/order/1": s.state, "/finalize": s.finalize, "/certificate": s.certificate,
	} {
		routes.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			status, body := answer(payload(r))
			w.Header().Set("Replay-Nonce", fmt.Sprint("nonce of ", r.URL.Path))
			if made := map[string]string{"/account": "/account/1", "/order": "/order/1", "/finalize": "/order/1"}[r.URL.Path]; made != "" {
				w.Header().Set("Location", s.URL+made)
			}
			w.WriteHeader(status)
			if chain, ok := body.([]byte); ok {
				w.Write(chain)
			} else {
				json.NewEncoder(w).Encode(body)
			}
		})
	}
	s.Server = httptest.NewServer(routes)
	a.t.Cleanup(s.Close)
	return s
}

// payload is what a signed request says.
func payload(r *http.Request) []byte {
	var signed struct{ Payload string }
	json.NewDecoder(r.Body).Decode(&signed)
	text, _ := base64.RawURLEncoding.DecodeString(signed.Payload)
	return text
}

type object map[string]any

func (s *acmeServer) directory([]byte) (int, any) {
	return 200, object{"newNonce": s.URL + "/nonce", "newAccount": s.URL + "/account", "newOrder": s.URL + "/order"}
}

func (s *acmeServer) nothing([]byte) (int, any) { return 200, []byte{} }

func (s *acmeServer) account([]byte) (int, any) { return 201, object{"status": "valid"} }

func (s *acmeServer) order(payload []byte) (int, any) {
	var order struct{ Identifiers []struct{ Value string } }
	json.Unmarshal(payload, &order)
	s.domain, s.valid, s.chain = order.Identifiers[0].Value, false, nil
	s.orders++
	_, state := s.state(nil)
	return 201, state
}

func (s *acmeServer) state([]byte) (int, any) {
	status := "pending"
	switch {
	case s.chain != nil:
		status = "valid"
	case s.valid:
		status = "ready"
	}
	return 200, object{
		"status": status, "identifiers": []object{{"type": "dns", "value": s.domain}}, "authorizations": []string{s.URL + "/authorization"},
		"finalize": s.URL + "/finalize", "certificate": s.URL + "/certificate",
	}
}

func (s *acmeServer) authorization([]byte) (int, any) {
	status := "pending"
	if s.valid {
		status = "valid"
	}
	_, challenge := s.offer()
	return 200, object{"status": status, "identifier": object{"type": "dns", "value": s.domain}, "challenges": []any{challenge}}
}

func (s *acmeServer) offer() (int, any) {
	return 200, object{"type": s.challenge, "url": s.URL + "/challenge", "token": "some-token", "status": "pending"}
}

// prove asks the site to prove that the domain is its own.
func (s *acmeServer) prove([]byte) (int, any) {
	var err error
	if s.challenge == "http-01" {
		err = s.proveByHTTP()
	} else {
		err = s.proveByTLS()
	}
	if err != nil {
		s.t.Errorf("the site does not prove that it has %s: %v", s.domain, err)
	}
	s.valid = err == nil
	return s.offer()
}

func (s *acmeServer) proveByHTTP() error {
	response, err := s.visitor(s.plain).Get("http://" + s.domain + "/.well-known/acme-challenge/some-token")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && !strings.HasPrefix(string(text), "some-token.") {
		err = fmt.Errorf("%s %q", response.Status, text)
	}
	return err
}

func (s *acmeServer) proveByTLS() error {
	conn, err := tls.Dial("tcp", s.site, &tls.Config{ServerName: s.domain, NextProtos: []string{acme.ALPNProto}, InsecureSkipVerify: true})
	if err != nil {
		return err
	}
	defer conn.Close()
	state := conn.ConnectionState()
	if state.NegotiatedProtocol != acme.ALPNProto || state.PeerCertificates[0].VerifyHostname(s.domain) != nil {
		return fmt.Errorf("protocol %q, names %v", state.NegotiatedProtocol, state.PeerCertificates[0].DNSNames)
	}
	return nil
}

func (s *acmeServer) finalize(payload []byte) (int, any) {
	var order struct{ CSR string }
	json.Unmarshal(payload, &order)
	der, _ := base64.RawURLEncoding.DecodeString(order.CSR)
	request, err := x509.ParseCertificateRequest(der)
	if err != nil || !s.valid {
		return 403, object{"type": "urn:ietf:params:acme:error:orderNotReady", "detail": fmt.Sprint(err)}
	}
	s.chain = s.sign(request.PublicKey, s.domain)
	return s.state(nil)
}

func (s *acmeServer) certificate([]byte) (int, any) { return 200, s.chain }

// A site with a domain gets its certificate by itself, in either way in which
// authorities ask for proof, and has it still after a restart.
func TestAutomaticCertificates(t *testing.T) {
	for _, challenge := range []string{"http-01", "tls-alpn-01"} {
		t.Run(challenge, func(t *testing.T) {
			site := filepath.Join(t.TempDir(), "site")
			succeed(t, "new", site)
			a := newAuthority(t)
			s := newACMEServer(a, challenge)
			s.mu.Lock() // until it is known where the site listens
			flags := []string{"serve", "--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0", "--domain", "guide.example.org", "--acme-directory", s.URL + "/directory", site}
			p := begin(t, flags...)
			s.site, s.plain = addressOf(p.url), addressOf(<-p.stdout)
			s.mu.Unlock()
			if answer := visit(t, a.visitor(s.site), "https://guide.example.org/_health"); answer.StatusCode != 204 || answer.ProtoMajor != 2 {
				t.Errorf("%s %s", answer.Proto, answer.Status)
			}
			if led := visit(t, a.visitor(s.plain), "http://GUIDE.example.org/x"); led.StatusCode != 308 || !strings.HasPrefix(led.Header.Get("Location"), "https://GUIDE.example.org:") {
				t.Errorf("%s %s", led.Status, led.Header.Get("Location"))
			}
			if _, err := a.visitor(s.site).Get("https://other.example.org/_health"); err == nil {
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
			visit(t, a.visitor(addressOf(again.url)), "https://guide.example.org/_health")
			again.end()
			if s.orders != 1 {
				t.Errorf("%d certificates were ordered", s.orders)
			}
		})
	}
}

// An authority that does not answer keeps nothing from starting and stopping, and
// one that refuses is told in the log.
func TestAuthorityThatDoesNotHelp(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	begin(t, "serve", "--listen", "127.0.0.1:0", "--http-listen", "", "--domain", "guide.example.org", "--acme-directory", "http://"+silent.Addr().String(), site).end()

	refusing := httptest.NewServer(http.NotFoundHandler())
	defer refusing.Close()
	app, log := startGuide(t)
	s := &secured{domains: []string{"guide.example.org"}, directory: refusing.URL}
	k := s.automatic(t.TempDir())
	k.fetchAll(context.Background(), s.domains, app.log)
	if !strings.Contains(log.String(), "there is no certificate yet") || !strings.Contains(log.String(), "404") {
		t.Errorf("the log: %s", log)
	}
}
