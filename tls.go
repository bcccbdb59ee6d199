package main

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// secured says how a site is served over TLS: with a certificate in files, with
// certificates that an authority gives for domains, or, when it is zero, not.
type secured struct {
	certFile, keyFile string
	domains           []string
	directory         string // of the authority
	plain             string // address of a listener without TLS; empty for none
}

func (s *secured) on() bool { return s.certFile != "" || len(s.domains) > 0 }

// check finds what cannot stand together.
func (s *secured) check() error {
	switch {
	case (s.certFile == "") != (s.keyFile == ""):
		return fmt.Errorf("--tls-cert and --tls-key belong together; give both")
	case s.certFile != "" && len(s.domains) > 0:
		return fmt.Errorf("--domain gets certificates by itself; leave out --tls-cert and --tls-key, or --domain")
	case !s.on() && s.plain != "":
		return fmt.Errorf("--http-listen is for sites over TLS; give --domain or --tls-cert, or use --listen")
	}
	return checkDomains(s.domains)
}

// keeper has the certificates of a site.
type keeper struct {
	config *tls.Config
	serves func(host string) bool            // whether there is a certificate for a host
	answer func(http.Handler) http.Handler   // takes what an authority asks over plain HTTP
	fetch  func(host string) (problem error) // gets the certificate of a host
}

// certificates opens what TLS needs; the data folder keeps what authorities give.
func (s *secured) certificates(folder string, log *slog.Logger) (*keeper, error) {
	if len(s.domains) > 0 {
		return s.automatic(folder), nil
	}
	pair := &certificate{certFile: s.certFile, keyFile: s.keyFile, log: log}
	if err := pair.read(); err != nil {
		return nil, fmt.Errorf("the certificate cannot be used: %w", err)
	}
	return &keeper{config: &tls.Config{GetCertificate: pair.get}, serves: pair.serves}, nil
}

// certificate is a certificate and its key in files, which are read anew when
// they change.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu   sync.Mutex
	seen [2]fileState
	pair *tls.Certificate
}

// fileState tells one state of a file from others; the zero one is that of a file
// that cannot be looked at.
type fileState struct {
	changed time.Time
	size    int64
}

func (c *certificate) versions() (now [2]fileState) {
	for i, name := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(name); err == nil {
			now[i] = fileState{info.ModTime(), info.Size()}
		}
	}
	return now
}

func (c *certificate) read() error {
	c.seen = c.versions()
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err == nil {
		c.pair = &pair
	}
	return err
}

// get is asked at every handshake. Looking at two files is little beside that. A
// pair that cannot be used is told in the log once, and the former one stays.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.versions() == c.seen {
		return c.pair, nil
	}
	if err := c.read(); err != nil {
		c.log.Error("the changed certificate cannot be used; the former one stays", "error", err)
	} else {
		c.log.Info("the changed certificate is used", "until", c.pair.Leaf.NotAfter)
	}
	return c.pair, nil
}

func (c *certificate) serves(host string) bool {
	pair, _ := c.get(nil)
	return pair.Leaf.VerifyHostname(host) == nil
}

// portOf is the port of a listener.
func portOf(l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
