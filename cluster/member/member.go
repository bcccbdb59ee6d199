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
	"google.golang.org/grpc"
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
	// empty for this one alone.
	Members string

	// Join names members that run already, HOST:PORT,HOST:PORT as clients reach them: this
	// one adds itself to them when it starts for the first time. User and Password are for
	// an etcd that has users, of which root alone may do that.
	Join           string
	User, Password string

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
type Member struct {
	etcd   *embed.Etcd
	failed chan error // has one place
}

// errRemoved: the others have taken the member out.
var errRemoved = errors.New("this member was taken out of etcd; its data is of no use any more")

// Start starts a member and waits until it answers, which takes a majority of the members.
func Start(ctx context.Context, o Options) (*Member, error) {
	if o.Join != "" && !o.begun() {
		var err error
		if o.Members, err = o.enter(ctx); err != nil {
			return nil, err
		}
	}
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	e, err := embed.StartEtcd(c)
	if err != nil {
		return nil, fmt.Errorf("etcd cannot start: %w", err)
	}
	m := &Member{e, make(chan error, 1)}
	go m.watch()
	if err = m.await(ctx); err == nil && o.Join != "" {
		err = m.promote(ctx, o)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// await waits until the member answers.
func (m *Member) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	select {
	case <-m.etcd.Server.ReadyNotify():
		return nil
	case err := <-m.failed:
		return fmt.Errorf("etcd cannot start: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("the other members of etcd do not answer: %w", ctx.Err())
	}
}

// watch notes why the member cannot go on: it stops by itself when it was taken out.
func (m *Member) watch() {
	select {
	case err := <-m.etcd.Err():
		m.failed <- err
	case <-m.etcd.Server.StopNotify():
		m.failed <- errRemoved
	}
}

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
	if o.Join != "" {
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
	c.GRPCAdditionalServerOptions = []grpc.ServerOption{ // else each request is followed by a message that finds it out
		grpc.InitialWindowSize(MaxRequestBytes), grpc.InitialConnWindowSize(MaxRequestBytes),
	}
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
func (m *Member) Failed() <-chan error { return m.failed }

// Close ends the member and waits for it.
func (m *Member) Close() { m.etcd.Close() }
