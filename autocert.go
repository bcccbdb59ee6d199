package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// letsEncrypt is the authority that certificates come from unless a flag names
// another.
const letsEncrypt = acme.LetsEncryptURL

// checkDomains refuses what no authority gives a certificate for.
func checkDomains(domains []string) error {
	for _, d := range domains {
		if net.ParseIP(d) != nil || !strings.Contains(strings.Trim(d, "."), ".") || strings.ContainsAny(d, "/:*@ ") {
			return fmt.Errorf("--domain %q is no whole domain name; write one like guide.example.org, without https:// and port", d)
		}
	}
	return nil
}

// automatic gets certificates for the domains when they are needed, and new ones
// before they run out. What the authority gives lies in the data folder, which
// only its owner can read.
func (s *secured) automatic(folder string) *keeper {
	m := &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(filepath.Join(folder, "certificates")),
		HostPolicy: autocert.HostWhitelist(s.domains...),
		Client:     &acme.Client{DirectoryURL: s.directory, UserAgent: "quire"},
	}
	return &keeper{
		config: m.TLSConfig(),
		serves: func(host string) bool { return m.HostPolicy(context.Background(), strings.ToLower(host)) == nil },
		answer: m.HTTPHandler,
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

// fetchAll gets the certificates at the start, so that the first visitor need not
// wait for them and the log tells at once what is in the way. It returns when ctx
// is done, even if the authority does not answer.
func (k *keeper) fetchAll(ctx context.Context, domains []string, log *slog.Logger) {
	if k.fetch == nil {
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
		for _, d := range domains {
			if err := k.fetch(d); err != nil {
				log.Error("there is no certificate yet; it is tried again when somebody comes", "domain", d, "error", err)
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

// plainHandler answers what comes without TLS: what an authority asks, and
// everybody else with the way to TLS.
func (k *keeper) plainHandler(redirect http.Handler) http.Handler {
	if k.answer == nil {
		return redirect
	}
	return k.answer(redirect)
}
