package listen

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"strings"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// LetsEncrypt is the URL of the default certificate authority.
const LetsEncrypt = acme.LetsEncryptURL

// automatic obtains certificates for the domains when they are needed, and renews them
// before they expire. It keeps them in a folder that only its owner can read.
func (o *TLS) automatic(folder string) *Certificates {
	m := &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(folder),
		HostPolicy: autocert.HostWhitelist(o.Domains...),
		Client:     &acme.Client{DirectoryURL: o.Directory, UserAgent: "quire"},
	}
	return &Certificates{
		Config:    m.TLSConfig(),
		domains:   o.Domains,
		Covers:    func(host string) bool { return m.HostPolicy(context.Background(), strings.ToLower(host)) == nil },
		challenge: m.HTTPHandler,
		fetch: func(domain string) error {
			_, err := m.GetCertificate(modernHello(domain))
			return err
		},
	}
}

// modernHello is a handshake of a current client.
func modernHello(domain string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{ServerName: domain, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
}

// Fetch obtains the certificates of all domains from the authority, so that the first
// visitor need not wait and the log reports problems at once. It returns when ctx is done,
// even if the authority does not respond.
func (c *Certificates) Fetch(ctx context.Context, log *slog.Logger) {
	if c.fetch == nil {
		return
	}
	fetched := make(chan struct{})
	go func() {
		defer close(fetched)
		defer func() {
			if fault := recover(); fault != nil {
				log.Error("panic while getting certificates", "fault", fault)
			}
		}()
		for _, d := range c.domains {
			if err := c.fetch(d); err != nil {
				log.Error("cannot obtain a certificate; retried at the next connection", "domain", d, "error", err)
			} else {
				log.Info("there is a certificate", "domain", d)
			}
		}
	}()
	select {
	case <-fetched:
	case <-ctx.Done():
	}
}

// HTTPHandler answers requests without TLS: those of an authority with the requested proof,
// and all others with the given handler.
func (c *Certificates) HTTPHandler(others http.Handler) http.Handler {
	if c.challenge == nil {
		return others
	}
	return c.challenge(others)
}
