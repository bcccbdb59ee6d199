//go:build cluster

package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// What nodes demand of etcd: one commit of Quire is one transaction.
const (
	MaxTxnOps       = 4096
	MaxRequestBytes = 16 << 20
)

const (
	usualQuota = 8 << 30 // bytes of the database
	keptTime   = "1h"    // of former values, so that nodes that were away can follow
	startTime  = 60 * time.Second
)

// Options of a member.
type Options struct {
	Name   string // its own among the members, such as a
	Folder string // where it keeps its data
	Client string // URL for clients, http://127.0.0.1:2379
	Peer   string // URL for the other members

	// PeerListen is where it listens for the other members, where they reach it by way of
	// something else; empty for Peer.
	PeerListen string

	// Members are all that the cluster begins with, as NAME=PEER-URL with commas between;
	// empty for this one alone. Joins says that they run already.
	Members string
	Joins   bool

	Quota int64 // bytes of the database; 0 for 8 GiB

	// TxnOps and RequestBytes bound one transaction; 0 for what nodes demand.
	TxnOps       uint
	RequestBytes uint

	// TokenLife is after how many seconds without a call a user has to sign in again; 0
	// for 300.
	TokenLife uint

	// CA, Certificate and Key are files in PEM. With them, clients and members have to
	// show a certificate of that authority.
	CA, Certificate, Key string
}

// Member is a running member of etcd.
type Member struct{ etcd *embed.Etcd }

// Start starts a member and waits until it answers, which takes a majority of the members.
func Start(ctx context.Context, o Options) (*Member, error) {
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	e, err := embed.StartEtcd(c)
	if err != nil {
		return nil, fmt.Errorf("etcd cannot start: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	select {
	case <-e.Server.ReadyNotify():
		return &Member{e}, nil
	case err := <-e.Err():
		return nil, errors.Join(fmt.Errorf("etcd cannot start: %w", err), closed(e))
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("the other members of etcd do not answer: %w", ctx.Err()), closed(e))
	}
}

func closed(e *embed.Etcd) error { e.Close(); return nil }

func (o Options) config() (*embed.Config, error) {
	client, err := parseURL("client", o.Client)
	if err != nil {
		return nil, err
	}
	peer, err := parseURL("peer", o.Peer)
	if err != nil {
		return nil, err
	}
	peerListen, err := parseURL("peer-listen", cmp.Or(o.PeerListen, o.Peer))
	if err != nil {
		return nil, err
	}
	c := embed.NewConfig()
	c.Name, c.Dir = o.Name, o.Folder
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{listening(client)}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{listening(peerListen)}, []url.URL{peer}
	c.InitialCluster = o.Name + "=" + o.Peer
	if o.Members != "" {
		c.InitialCluster = o.Members
	}
	if o.Joins {
		c.ClusterState = embed.ClusterStateFlagExisting
	}
	c.MaxTxnOps, c.MaxRequestBytes = cmp.Or(o.TxnOps, MaxTxnOps), cmp.Or(o.RequestBytes, MaxRequestBytes)
	c.AuthTokenTTL = cmp.Or(o.TokenLife, c.AuthTokenTTL)
	c.QuotaBackendBytes = usualQuota
	if o.Quota > 0 {
		c.QuotaBackendBytes = o.Quota
	}
	c.AutoCompactionMode, c.AutoCompactionRetention = embed.CompactorModePeriodic, keptTime
	c.LogLevel = "warn"
	if o.CA != "" {
		c.ClientTLSInfo.TrustedCAFile, c.ClientTLSInfo.CertFile, c.ClientTLSInfo.KeyFile = o.CA, o.Certificate, o.Key
		c.ClientTLSInfo.ClientCertAuth = true
		c.PeerTLSInfo = c.ClientTLSInfo
	}
	return c, c.Validate()
}

func parseURL(what, text string) (url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return url.URL{}, fmt.Errorf("the %s address %q is no URL such as http://127.0.0.1:2379", what, text)
	}
	return *u, nil
}

// listening is where a member listens that others reach at u: there, or, where a name stands
// for the machine as among containers, at all of its addresses.
func listening(u url.URL) url.URL {
	if host := u.Hostname(); host != "localhost" && net.ParseIP(host) == nil {
		u.Host = net.JoinHostPort("0.0.0.0", u.Port())
	}
	return u
}

// Failed is readable once the member cannot go on.
func (m *Member) Failed() <-chan error { return m.etcd.Err() }

// Close ends the member and waits for it.
func (m *Member) Close() { m.etcd.Close() }
