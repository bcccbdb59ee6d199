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

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// What nodes require of etcd: one commit of Quire is one transaction.
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
	Name   string // its name among the members, for example a
	Folder string // where it keeps its data
	Client string // URL for clients, http://127.0.0.1:2379
	Peer   string // URL for the other members

	// PeerListen is where it listens for the other members, if they reach it through
	// something else; empty for Peer.
	PeerListen string

	// Members are the first members of the cluster, as NAME=PEER-URL with commas between;
	// empty for only this one.
	Members string

	// Join names running members by their client addresses, HOST:PORT,HOST:PORT: this one
	// adds itself to them when it starts for the first time. User and Password are for an
	// etcd with users; only root may add a member.
	Join           string
	User, Password string

	Quota int64 // bytes of the database; 0 for 8 GiB

	// TxnOps and RequestBytes limit one transaction; 0 for what nodes require.
	TxnOps       uint
	RequestBytes uint

	// TokenLife is the time in seconds without a call after which a user must sign in
	// again; 0 for 300.
	TokenLife uint

	// PasswordCost is the cost of bcrypt for the passwords of users; 0 for 10.
	PasswordCost int

	// CA, Certificate and Key are files in PEM. With them, clients and members must have a
	// certificate of that authority.
	CA, Certificate, Key string
}

// Member is a running member of etcd.
type Member struct {
	etcd   *embed.Etcd
	failed chan error // has one slot
}

// errRemoved: the others have removed the member.
var errRemoved = errors.New("this member was removed from etcd; its data cannot be used any more")

// Start starts a member and waits until it responds, which requires a majority of the
// members.
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

// await waits until the member responds.
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

// watch records why the member cannot continue: it stops by itself when it was removed.
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
	c.BcryptCost = cmp.Or(uint(o.PasswordCost), c.BcryptCost)
	c.QuotaBackendBytes = usualQuota
	if o.Quota > 0 {
		c.QuotaBackendBytes = o.Quota
	}
	c.AutoCompactionMode, c.AutoCompactionRetention = embed.CompactorModePeriodic, keptTime
	c.LogLevel = "warn"
	c.GRPCAdditionalServerOptions = []grpc.ServerOption{ // otherwise each request is followed by an additional message
		grpc.InitialWindowSize(MaxRequestBytes), grpc.InitialConnWindowSize(MaxRequestBytes),
		grpc.ChainUnaryInterceptor(withoutStatus),
	}
	if o.CA != "" {
		c.ClientTLSInfo.TrustedCAFile, c.ClientTLSInfo.CertFile, c.ClientTLSInfo.KeyFile = o.CA, o.Certificate, o.Key
		c.ClientTLSInfo.ClientCertAuth = true
		c.PeerTLSInfo = c.ClientTLSInfo
	}
	return c, c.Validate()
}

// withoutStatus answers that a member is unavailable if it has no status: etcd panics if one is
// asked for its status after it was removed and before it has stopped.
func withoutStatus(ctx context.Context, request any, call *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (answer any, err error) {
	if call.FullMethod == pb.Maintenance_Status_FullMethodName {
		defer func() {
			if recover() != nil {
				err = status.Error(codes.Unavailable, errRemoved.Error())
			}
		}()
	}
	return handle(ctx, request)
}

func parseURL(what, text string) (url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return url.URL{}, fmt.Errorf("the %s address %q is not a URL like http://127.0.0.1:2379", what, text)
	}
	return *u, nil
}

// listening returns where a member with the URL u listens: at u or, if a name stands for
// the machine as in containers, at all of its addresses.
func listening(u url.URL) url.URL {
	if host := u.Hostname(); host != "localhost" && net.ParseIP(host) == nil {
		u.Host = net.JoinHostPort("0.0.0.0", u.Port())
	}
	return u
}

// Failed returns a channel that is readable when the member cannot continue.
func (m *Member) Failed() <-chan error { return m.failed }

// Close ends the member and waits for it.
func (m *Member) Close() { m.etcd.Close() }
