//go:build cluster

package member

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.uber.org/zap"
)

// A member that joins others starts as a learner: it gets all data and has no vote, so that
// the others do not depend on it if it fails to start. When it has everything it gets its
// vote.

const (
	// joinTime limits the time for the other members. They change nothing until all of them
	// have been connected for 5 seconds.
	joinTime = 20 * time.Second

	callTime    = 2 * time.Second // of one call for that
	askInterval = 500 * time.Millisecond
)

// begun reports whether the folder is that of a member that has run before.
func (o Options) begun() bool {
	_, err := os.Stat(filepath.Join(o.Folder, "member", "wal"))
	return err == nil
}

// others connects to the running members.
func (o Options) others() (*clientv3.Client, error) {
	var protect *tls.Config
	scheme := "http://"
	if o.CA != "" {
		var err error
		if protect, err = (transport.TLSInfo{TrustedCAFile: o.CA, CertFile: o.Certificate, KeyFile: o.Key}).ClientConfig(); err != nil {
			return nil, err
		}
		scheme = "https://"
	}
	var endpoints []string
	for _, host := range strings.Split(o.Join, ",") {
		endpoints = append(endpoints, scheme+host)
	}
	c, err := clientv3.New(clientv3.Config{
		Endpoints: endpoints, TLS: protect, Username: o.User, Password: o.Password, DialTimeout: callTime, Logger: zap.NewNop()})
	return c, o.explain(err)
}

func (o Options) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rpctypes.ErrPermissionDenied), errors.Is(err, rpctypes.ErrUserEmpty):
		return errors.New("only etcd's user root may add members; give --etcd-user root and the password")
	case errors.Is(err, rpctypes.ErrUnhealthy), errors.Is(err, rpctypes.ErrMemberNotEnoughStarted):
		return fmt.Errorf("not all members of etcd answer each other; start those that are down, or take them out with quire cluster remove, and try again (%w)", err)
	case errors.Is(err, rpctypes.ErrTooManyLearners):
		return fmt.Errorf("another member is joining; try again when it has its vote (%w)", err)
	}
	return fmt.Errorf("the members of etcd at %s do not answer: %w", o.Join, err)
}

// enter adds this member to the others, unless an interrupted start has done so. It returns
// all members, which etcd needs to start.
func (o Options) enter(ctx context.Context) (all string, err error) {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	c, err := o.others()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	members, err := o.add(ctx, c)
	for ; err != nil && ctx.Err() == nil && isForLater(err); members, err = o.add(ctx, c) {
		sleep(ctx)
	}
	if err != nil {
		return "", err
	}
	var names []string
	for _, m := range members {
		name := m.Name
		if slices.Contains(m.PeerURLs, o.Peer) {
			name = o.Name
		}
		for _, url := range m.PeerURLs {
			names = append(names, name+"="+url)
		}
	}
	return strings.Join(names, ","), nil
}

// add adds this member to the others, and returns all of them.
func (o Options) add(ctx context.Context, c *clientv3.Client) ([]*pb.Member, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	list, err := c.MemberList(ctx, clientv3.WithSerializable())
	if err != nil {
		return nil, o.explain(err)
	}
	members := list.Members
	known, err := o.find(members)
	if err != nil {
		return nil, err
	}
	if !known {
		added, err := c.MemberAddAsLearner(ctx, []string{o.Peer})
		if err != nil {
			return nil, o.explain(err)
		}
		members = added.Members
	}
	return members, o.agreed(members)
}

// errLate: a member that is behind has not yet added or removed one.
var errLate = errors.New("the members of etcd do not name the same members")

// agreed returns errLate unless each running member names the given ones. A member starts
// only if the first one that it asks does so, and that may be one that is behind.
func (o Options) agreed(members []*pb.Member) error {
	t, err := transport.NewTransport(transport.TLSInfo{TrustedCAFile: o.CA, CertFile: o.Certificate, KeyFile: o.Key}, callTime)
	if err != nil {
		return err
	}
	defer t.CloseIdleConnections()
	all := peers(members)
	for _, m := range members {
		if slices.Contains(m.PeerURLs, o.Peer) {
			continue
		}
		known, err := etcdserver.GetClusterFromRemotePeers(zap.NewNop(), m.PeerURLs, t)
		if err == nil && !slices.Equal(known.PeerURLs(), all) {
			return errLate
		}
	}
	return nil
}

// peers returns the addresses of all members for each other, sorted.
func peers(members []*pb.Member) []string {
	var urls []string
	for _, m := range members {
		urls = append(urls, m.PeerURLs...)
	}
	slices.Sort(urls)
	return urls
}

// isForLater reports whether the others may accept a member later that they refuse now:
// only one can be a learner at a time, and some may be behind.
func isForLater(err error) bool {
	return errors.Is(err, rpctypes.ErrUnhealthy) || errors.Is(err, rpctypes.ErrTooManyLearners) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errLate)
}

func sleep(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(askInterval):
	}
}

// find reports whether the members know this one, which has no data. One that has run
// before must not return without its data, and two with the same name cannot be
// distinguished.
func (o Options) find(members []*pb.Member) (known bool, err error) {
	for _, m := range members {
		own := slices.Contains(m.PeerURLs, o.Peer)
		switch {
		case m.Name == "" && own:
			known = true
		case own || m.Name == o.Name:
			return false, fmt.Errorf("etcd has a member %s at %s, and %s has no data of it; if that is gone for good, take it out first: quire cluster remove CLUSTER --member %s",
				m.Name, strings.Join(m.PeerURLs, " "), o.Folder, m.Name)
		}
	}
	return known, nil
}

// promote gives this member its vote. It takes until the data has arrived.
func (m *Member) promote(ctx context.Context, o Options) error {
	c, err := o.others()
	if err != nil {
		return err
	}
	defer c.Close()
	for m.etcd.Server.IsLearner() {
		asking, cancel := context.WithTimeout(ctx, callTime)
		_, err := c.MemberPromote(asking, uint64(m.etcd.Server.MemberID()))
		cancel()
		if errors.Is(err, rpctypes.ErrPermissionDenied) || errors.Is(err, rpctypes.ErrUserEmpty) {
			return o.explain(err)
		}
		select {
		case err := <-m.failed:
			return err
		default:
			sleep(ctx)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
