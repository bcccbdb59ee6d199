//go:build cluster

package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Nodes authenticate each other with certificates of an authority of the cluster. Its key
// is in etcd: somebody who can read that can write everything anyway. A node makes its own
// certificate when it starts, and nobody has to renew one.

// nodeName is the name in the certificate of every node, whatever its address.
const nodeName = "node.quire.internal"

// newAuthority returns the certificate and the key of an authority, in PEM.
func newAuthority() (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Quire cluster"},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		return "", err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	return string(certificate) + string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})), nil
}

// identity is the certificate of a node, and the authority that it trusts.
type identity struct {
	own   tls.Certificate
	nodes *x509.CertPool
}

// identify makes the certificate of this node.
func (j *Journal) identify(ctx context.Context) (id identity, err error) {
	var got *clientv3.GetResponse
	err = j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd().Get(ctx, j.keys.authority())
		return err
	})
	switch {
	case err != nil:
		return id, err
	case len(got.Kvs) == 0:
		return id, &NotBegunError{Site: j.keys.site}
	}
	authority, err := tls.X509KeyPair(got.Kvs[0].Value, got.Kvs[0].Value)
	if err != nil {
		return id, fmt.Errorf("the authority of the nodes in etcd: %w", err)
	}
	return newIdentity(authority)
}

func newIdentity(authority tls.Certificate) (id identity, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return id, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return id, err
	}
	c := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: nodeName}, DNSNames: []string{nodeName},
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if authority.Leaf == nil {
		return id, errors.New("the authority of the nodes in etcd has no certificate")
	}
	signed, err := x509.CreateCertificate(rand.Reader, c, authority.Leaf, key.Public(), authority.PrivateKey)
	if err != nil {
		return id, err
	}
	id.own = tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}
	id.nodes = x509.NewCertPool()
	id.nodes.AddCert(authority.Leaf)
	return id, nil
}

// serving returns the TLS configuration of the listener: it accepts only nodes.
func (id identity) serving() *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{id.own}, ClientCAs: id.nodes, ClientAuth: tls.RequireAndVerifyClientCert,
		MinVersion: tls.VersionTLS13, NextProtos: []string{"h2", "http/1.1"},
	}
}

// calling returns the TLS configuration for calls to other nodes.
func (id identity) calling() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{id.own}, RootCAs: id.nodes, ServerName: nodeName, MinVersion: tls.VersionTLS13}
}
