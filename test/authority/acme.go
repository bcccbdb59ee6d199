package authority

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"golang.org/x/crypto/acme"
)

// ACME is an authority (RFC 8555) for one client with one order at a time. It does not
// check signatures, but it does ask the site for the challenge.
type ACME struct {
	*Authority
	*httptest.Server
	challenge   string // its type
	site, plain string // addresses of the site

	mu     sync.Mutex
	domain string
	valid  bool
	chain  []byte
	orders int
}

// NewACME serves an authority until the test ends. The challenge is "http-01" or
// "tls-alpn-01". It answers after [ACME.Ask] has set the address of the site.
func NewACME(a *Authority, challenge string) *ACME {
	s := &ACME{Authority: a, challenge: challenge}
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
	s.mu.Lock() // until Ask
	return s
}

// Ask sets the addresses of the site at which the authority asks for proofs, with TLS and
// without.
func (s *ACME) Ask(site, plain string) {
	s.site, s.plain = site, plain
	s.mu.Unlock()
}

// Orders counts the certificates that were ordered.
func (s *ACME) Orders() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.orders
}

// payload returns the content of a signed request.
func payload(r *http.Request) []byte {
	var signed struct{ Payload string }
	json.NewDecoder(r.Body).Decode(&signed)
	text, _ := base64.RawURLEncoding.DecodeString(signed.Payload)
	return text
}

type object map[string]any

func (s *ACME) directory([]byte) (int, any) {
	return 200, object{"newNonce": s.URL + "/nonce", "newAccount": s.URL + "/account", "newOrder": s.URL + "/order"}
}

func (s *ACME) nothing([]byte) (int, any) { return 200, []byte{} }

func (s *ACME) account([]byte) (int, any) { return 201, object{"status": "valid"} }

func (s *ACME) order(payload []byte) (int, any) {
	var order struct{ Identifiers []struct{ Value string } }
	json.Unmarshal(payload, &order)
	s.domain, s.valid, s.chain = order.Identifiers[0].Value, false, nil
	s.orders++
	_, state := s.state(nil)
	return 201, state
}

func (s *ACME) state([]byte) (int, any) {
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

func (s *ACME) authorization([]byte) (int, any) {
	status := "pending"
	if s.valid {
		status = "valid"
	}
	_, challenge := s.offer()
	return 200, object{"status": status, "identifier": object{"type": "dns", "value": s.domain}, "challenges": []any{challenge}}
}

func (s *ACME) offer() (int, any) {
	return 200, object{"type": s.challenge, "url": s.URL + "/challenge", "token": "some-token", "status": "pending"}
}

// prove asks the site to prove that the domain is its own.
func (s *ACME) prove([]byte) (int, any) {
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

func (s *ACME) proveByHTTP() error {
	response, err := s.ClientOf(s.plain).Get("http://" + s.domain + "/.well-known/acme-challenge/some-token")
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

func (s *ACME) proveByTLS() error {
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

func (s *ACME) finalize(payload []byte) (int, any) {
	var order struct{ CSR string }
	json.Unmarshal(payload, &order)
	der, _ := base64.RawURLEncoding.DecodeString(order.CSR)
	request, err := x509.ParseCertificateRequest(der)
	if err != nil || !s.valid {
		return 403, object{"type": "urn:ietf:params:acme:error:orderNotReady", "detail": fmt.Sprint(err)}
	}
	s.chain = s.Sign(request.PublicKey, s.domain)
	return s.state(nil)
}

func (s *ACME) certificate([]byte) (int, any) { return 200, s.chain }
