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

// TLS says how a site is served over TLS: with a certificate in files, with
// certificates that an authority gives for domains, or, when it is zero, not.
type TLS struct {
	CertFile, KeyFile string // PEM
	Domains           []string
	Directory         string // URL of the authority
	Redirect          string // address without TLS that leads to it, HOST:PORT; empty for none
}

// On reports whether the site is served over TLS.
func (o *TLS) On() bool { return o.CertFile != "" || len(o.Domains) > 0 }

// open reads what TLS needs; the folder keeps what authorities give.
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

// Certificates are those of a site over TLS.
type Certificates struct {
	Config *tls.Config            // has one for each handshake
	Covers func(host string) bool // whether there is one for a host

	domains   []string                        // what to fetch certificates for
	fetch     func(domain string) error       // gets the certificate of a domain from an authority
	challenge func(http.Handler) http.Handler // answers what an authority asks over plain HTTP; nil for nothing
}

// pair is a certificate and its key in files, which are read again when they change.
type pair struct {
	certFile, keyFile string
	log               *slog.Logger

	mu   sync.Mutex
	seen [2]fileState
	used *tls.Certificate
}

// fileState distinguishes one state of a file from others; the zero one is that of a
// file that cannot be read.
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

// get returns the certificate for a handshake; beside that, a look at two files costs
// little. A changed pair that cannot be used is one line of the log, and the former one
// stays.
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

// covers reports whether the certificate is one for a host.
func (p *pair) covers(host string) bool {
	used, _ := p.get(nil)
	return used.Leaf.VerifyHostname(host) == nil
}
