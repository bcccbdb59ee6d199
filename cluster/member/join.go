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
	"go.uber.org/zap"
)

// A member that joins others first learns: it gets all data and has no vote, so that the
// others do without it should it not come up. Once it has everything it gets its vote.

// joinTime bounds what the others have to answer.
const joinTime = 10 * time.Second

// promoteInterval is how often a member asks for its vote.
const promoteInterval = 500 * time.Millisecond

// begun reports whether the folder is that of a member that has run before.
func (o Options) begun() bool {
	_, err := os.Stat(filepath.Join(o.Folder, "member", "wal"))
	return err == nil
}

// others connects to the members that run.
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
		Endpoints: endpoints, TLS: protect, Username: o.User, Password: o.Password, DialTimeout: joinTime, Logger: zap.NewNop()})
	return c, o.explain(err)
}

func (o Options) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rpctypes.ErrPermissionDenied), errors.Is(err, rpctypes.ErrUserEmpty):
		return errors.New("etcd lets nobody but its user root add members; give --etcd-user root and the password")
	case errors.Is(err, rpctypes.ErrUnhealthy), errors.Is(err, rpctypes.ErrMemberNotEnoughStarted):
		return errors.New("not all members of etcd answer each other; start those that are down, or take them out with quire cluster remove, and try again")
	}
	return fmt.Errorf("the members of etcd at %s do not answer: %w", o.Join, err)
}

// enter names this member to the others, unless that was done by a start that broke off. It
// returns all members, as etcd begins with them.
func (o Options) enter(ctx context.Context) (all string, err error) {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	c, err := o.others()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	list, err := c.MemberList(ctx)
	if err != nil {
		return "", o.explain(err)
	}
	known, err := o.find(list.Members)
	if err != nil {
		return "", err
	}
	members := list.Members
	if !known {
		added, err := c.MemberAddAsLearner(ctx, []string{o.Peer})
		if err != nil {
			return "", o.explain(err)
		}
		members = added.Members
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

// find reports whether the members know this one, which has no data. One that has run before
// must not come back without its data, and two of a name cannot be told apart.
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

// promote gets this member its vote. It takes as long as the data takes to arrive.
func (m *Member) promote(ctx context.Context, o Options) error {
	c, err := o.others()
	if err != nil {
		return err
	}
	defer c.Close()
	for m.etcd.Server.IsLearner() {
		asking, cancel := context.WithTimeout(ctx, joinTime)
		_, err := c.MemberPromote(asking, uint64(m.etcd.Server.MemberID()))
		cancel()
		if err != nil && !errors.Is(err, rpctypes.ErrMemberLearnerNotReady) && !errors.Is(err, rpctypes.ErrMemberNotLearner) && ctx.Err() == nil {
			return o.explain(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-m.failed:
			return err
		case <-time.After(promoteInterval):
		}
	}
	return nil
}
