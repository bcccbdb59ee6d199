package listen

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"
)

// TLS controls how a site is served over TLS: with a certificate from files or with
// certificates from an authority. The zero value means no TLS.
type TLS struct {
	CertFile, KeyFile string // PEM
	Domains           []string
	Directory         string // URL of the authority
	Redirect          string // address without TLS that redirects to the site, HOST:PORT; empty for none
}

// On reports whether TLS is used.
func (o *TLS) On() bool { return o.CertFile != "" || len(o.Domains) > 0 }

// open reads the certificate, or prepares to obtain certificates and keep them in the
// folder.
func (o *TLS) open(folder string, log *slog.Logger) (*Certificates, error) {
	if len(o.Domains) > 0 {
		return o.automatic(folder), nil
	}
	pair := &pair{certFile: o.CertFile, keyFile: o.KeyFile, log: log}
	if err := pair.read(); err != nil {
		return nil, fmt.Errorf("the certificate cannot be used: %w", err)
	}
	return &Certificates{Config: &tls.Config{GetCertificate: pair.get}, Covers: pair.covers}, nil
}

// Certificates are the certificates of a site.
type Certificates struct {
	Config *tls.Config            // selects a certificate for each handshake
	Covers func(host string) bool // whether there is a certificate for a host

	domains   []string                        // domains to obtain certificates for
	fetch     func(domain string) error       // obtains the certificate of a domain
	challenge func(http.Handler) http.Handler // answers requests of an authority over plain HTTP; nil for none
}

// pair is a certificate and its key in files, which are read again when the files change.
type pair struct {
	certFile, keyFile string
	log               *slog.Logger

	mu   sync.Mutex
	seen [2]fileState
	used *tls.Certificate
}

// fileState identifies a state of a file. The zero value stands for a file that cannot be
// read.
type fileState struct {
	changed time.Time
	size    int64
}

func (p *pair) versions() (now [2]fileState) {
	for i, name := range []string{p.certFile, p.keyFile} {
		if info, err := os.Stat(name); err == nil {
			now[i] = fileState{info.ModTime(), info.Size()}
		}
	}
	return now
}

func (p *pair) read() error {
	p.seen = p.versions()
	loaded, err := tls.LoadX509KeyPair(p.certFile, p.keyFile)
	if err == nil {
		p.used = &loaded
	}
	return err
}

// get returns the certificate for a handshake. Compared with a handshake, checking two
// files costs little. If a changed pair cannot be used, get logs it once and keeps the
// former pair.
func (p *pair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.versions() == p.seen {
		return p.used, nil
	}
	if err := p.read(); err != nil {
		p.log.Error("the changed certificate cannot be used; the former one stays", "error", err)
	} else {
		p.log.Info("the changed certificate is used", "until", p.used.Leaf.NotAfter)
	}
	return p.used, nil
}

// covers reports whether the certificate is valid for a host.
func (p *pair) covers(host string) bool {
	used, _ := p.get(nil)
	return used.Leaf.VerifyHostname(host) == nil
}
