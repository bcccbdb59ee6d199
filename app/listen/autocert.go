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

// LetsEncrypt is the URL of the authority that certificates come from by default.
const LetsEncrypt = acme.LetsEncryptURL

// automatic gets certificates for the domains when they are needed, and new ones
// before they run out. What the authority gives lies in the folder, which
// only its owner can read.
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

// modernHello greets as a client of today does.
func modernHello(domain string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{ServerName: domain, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
}

// Fetch gets the certificates of all domains that come from an authority, so that the
// first visitor need not wait for them and the log says at once what is in the way. It
// returns when ctx is done, even if the authority does not answer.
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
		c.fetchAll(log)
	}()
	select {
	case <-fetched:
	case <-ctx.Done():
	}
}

func (c *Certificates) fetchAll(log *slog.Logger) {
	for _, d := range c.domains {
		if err := c.fetch(d); err != nil {
			log.Error("there is no certificate yet; it is tried again when somebody comes", "domain", d, "error", err)
		} else {
			log.Info("there is a certificate", "domain", d)
		}
	}
}

// HTTPHandler answers what comes without TLS: an authority gets the proof that it asks
// for, everybody else what the other handler says.
func (c *Certificates) HTTPHandler(others http.Handler) http.Handler {
	if c.challenge == nil {
		return others
	}
	return c.challenge(others)
}
