//go:build cluster

package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// Address has the addresses of etcd, the credentials, and the name of the site.
type Address struct {
	Endpoints []string // HOST:PORT
	Site      string   // 1 to 63 lower-case letters, digits and hyphens

	// CA, Certificate and Key are files in PEM: the trusted authority, and the certificate
	// of this node. Without CA the connection is not encrypted.
	CA, Certificate, Key string

	User, Password string // empty for none
}

const scheme = "etcd://"

var siteName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// ParseAddress reads etcd://HOST:PORT,HOST:PORT/SITE.
func ParseAddress(text string) (a Address, err error) {
	rest, ok := strings.CutPrefix(text, scheme)
	hosts, site, found := strings.Cut(rest, "/")
	switch {
	case strings.Contains(text, "@"): // before all errors that repeat a part of it
		return a, errors.New("the address of the cluster has a password in it, which others on this machine can read; give --etcd-user, and the password in QUIRE_ETCD_PASSWORD")
	case !ok || !found:
		return a, fmt.Errorf("%q is not the address of a cluster, which has the form etcd://HOST:PORT,HOST:PORT/SITE", text)
	case !siteName.MatchString(site):
		return a, fmt.Errorf("the site %q in the address of the cluster is not 1 to 63 lower-case letters, digits and hyphens", site)
	}
	for _, host := range strings.Split(hosts, ",") {
		if name, port, err := net.SplitHostPort(host); err != nil || name == "" || port == "" {
			return a, fmt.Errorf("%q in the address of the cluster is not HOST:PORT", host)
		}
		a.Endpoints = append(a.Endpoints, host)
	}
	a.Site = site
	return a, nil
}

// String returns the address without credentials.
func (a Address) String() string { return scheme + strings.Join(a.Endpoints, ",") + "/" + a.Site }

// maxMessage limits one message to etcd: a batch, and the names of its keys.
const maxMessage = 16 << 20

// maxAhead is the amount that a member may send before this node has received it, for
// example while content is loaded. With a fixed value it need not be negotiated by
// additional messages.
const maxAhead = 8 << 20

// dial connects to a member of etcd. It does not wait for a response.
func (a Address) dial(endpoint string) (*clientv3.Client, error) {
	protect, err := a.tls()
	if err != nil {
		return nil, err
	}
	url := "http://" + endpoint
	if protect != nil {
		url = "https://" + endpoint
	}
	config := clientv3.Config{
		Endpoints: []string{url}, TLS: protect,
		DialTimeout: tryTime * tries, DialKeepAliveTime: 10 * time.Second, DialKeepAliveTimeout: 3 * time.Second,
		MaxCallSendMsgSize: maxMessage, Logger: zap.NewNop(),
		DialOptions: []grpc.DialOption{grpc.WithInitialWindowSize(maxAhead), grpc.WithInitialConnWindowSize(2 * maxAhead)},
	}
	if a.User != "" {
		config.DialOptions = (&login{user: a.User, password: a.Password, asking: make(chan struct{}, 1)}).options()
	}
	return clientv3.New(config)
}

func (a Address) tls() (*tls.Config, error) {
	if a.CA == "" {
		if a.Certificate != "" || a.Key != "" {
			return nil, errors.New("a certificate for etcd is given without the authority that etcd's own is from; add --etcd-ca FILE")
		}
		return nil, nil
	}
	text, err := os.ReadFile(a.CA)
	if err != nil {
		return nil, fmt.Errorf("the authority of etcd: %w", err)
	}
	c := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	if !c.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("the authority of etcd: %s has no certificate in PEM", a.CA)
	}
	if a.Certificate == "" && a.Key == "" {
		return c, nil
	}
	pair, err := tls.LoadX509KeyPair(a.Certificate, a.Key)
	if err != nil {
		return nil, fmt.Errorf("the certificate for etcd: %w", err)
	}
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}
