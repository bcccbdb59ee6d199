//go:build cluster

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// MemberState is a member of etcd.
type MemberState struct {
	Name     string `json:"name"`     // empty if it never ran, or if unknown
	Endpoint string `json:"endpoint"` // HOST:PORT for clients; empty if unknown
	Version  string `json:"version"`
	Size     int64  `json:"size"`  // of its database, in bytes
	Quota    int64  `json:"quota"` // maximum of Size
	Leader   bool   `json:"leader"`
	Full     bool   `json:"full"`     // no member accepts writes until the alarm is disarmed
	Corrupt  bool   `json:"corrupt"`  // the data of the members differs
	Learner  bool   `json:"learner"`  // it has no vote: it is joining
	Unlisted bool   `json:"unlisted"` // the address of the cluster does not include it
	Problem  string `json:"problem"`  // why it does not respond; empty if it does

	id uint64 // 0 if unknown
}

// Members returns the state of every member of etcd: those in the address, and those that
// these know.
func (j *Journal) Members(ctx context.Context) (states []MemberState) {
	for _, endpoint := range j.address.Endpoints {
		states = append(states, MemberState{Endpoint: endpoint})
	}
	known := j.known(ctx)
	for _, m := range known {
		hosts := hostsOf(m)
		at := slices.IndexFunc(states, func(s MemberState) bool { return slices.Contains(hosts, s.Endpoint) })
		if at < 0 {
			at = len(states)
			states = append(states, MemberState{Endpoint: strings.Join(hosts[:min(1, len(hosts))], ""), Unlisted: true})
		}
		states[at].Name, states[at].Learner, states[at].id = m.Name, m.IsLearner, m.ID
	}
	var pending sync.WaitGroup
	for i := range states {
		pending.Go(func() { j.askMember(ctx, &states[i]) })
	}
	pending.Wait()
	for i := range states {
		if s := &states[i]; s.Problem != "" && s.id == 0 && known != nil {
			s.Problem += "; etcd has no member there"
		}
	}
	return states
}

// known returns the members that one of them knows, even without a majority.
func (j *Journal) known(ctx context.Context) []*pb.Member {
	var got *clientv3.MemberListResponse
	err := j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd().MemberList(ctx, clientv3.WithSerializable())
		return err
	})
	if err != nil {
		return nil
	}
	return got.Members
}

// hostsOf returns where clients reach a member, HOST:PORT.
func hostsOf(m *pb.Member) (hosts []string) {
	for _, text := range m.ClientURLs {
		if u, err := url.Parse(text); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// askMember adds the state that a member reports, or why it does not respond.
func (j *Journal) askMember(ctx context.Context, s *MemberState) {
	if s.Endpoint == "" {
		s.Problem = "it has not been started yet"
		return
	}
	err := within(ctx, func(ctx context.Context) error {
		to, err := j.address.dial(s.Endpoint)
		if err != nil {
			return err
		}
		defer to.Close()
		is, err := to.Status(ctx, to.Endpoints()[0])
		if err == nil {
			s.Version, s.Size, s.Quota, s.Leader = is.Version, is.DbSize, is.DbSizeQuota, is.Leader != 0 && is.Leader == is.Header.MemberId
			for _, alarm := range is.Errors {
				s.Full = s.Full || strings.Contains(alarm, "NOSPACE")
				s.Corrupt = s.Corrupt || strings.Contains(alarm, "CORRUPT")
			}
		}
		return err
	})
	if err == nil {
		return
	}
	s.Problem = err.Error()
	if isNoAnswer(err) {
		why := within(ctx, func(ctx context.Context) error { return j.address.whyNot(ctx, s.Endpoint) })
		if why != nil {
			s.Problem = why.Error()
		}
	}
}

// RemoveMember removes a member from etcd. Its name must be unique. It is refused if the
// others would be too few to continue.
func (j *Journal) RemoveMember(ctx context.Context, name string) error {
	if err := j.Reach(ctx); err != nil {
		return err
	}
	states := j.Members(ctx)
	at := slices.IndexFunc(states, func(s MemberState) bool { return s.id != 0 && (s.Name == name || s.Endpoint == name) })
	if at < 0 {
		return fmt.Errorf("etcd has no member %q; quire cluster status lists them", name)
	}
	if err := enoughWithout(states, at); err != nil {
		return err
	}
	err := j.remove(ctx, states[at].id)
	for end := time.Now().Add(healTime); isForLater(err) && time.Now().Before(end) && ctx.Err() == nil; err = j.remove(ctx, states[at].id) {
		sleep(ctx, lookInterval)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		return &AccessError{"etcd lets nobody but its user root take a member out; give --etcd-user root and the password"}
	case errors.Is(err, rpctypes.ErrUnhealthy), errors.Is(err, rpctypes.ErrMemberNotEnoughStarted):
		return &QuorumError{Name: name, Problem: "etcd refuses it, as not all of the others answer each other; try again in some seconds, or start those that are down"}
	}
	return j.explain(ctx, err)
}

// healTime is how long a removal waits for the other members: etcd requires that they have
// been connected for 5 seconds, and if the member was the leader, they elect another one.
const healTime = 20 * time.Second

// isForLater reports whether a removal may succeed later. One that had no response can have
// taken place: etcd then knows no such member, which is success.
func isForLater(err error) bool {
	return err != nil && (errors.Is(err, rpctypes.ErrUnhealthy) || isNoAnswer(err))
}

func (j *Journal) remove(ctx context.Context, id uint64) error {
	return j.again(ctx, func(ctx context.Context) error {
		_, err := j.etcd().MemberRemove(ctx, id)
		if errors.Is(err, rpctypes.ErrMemberNotFound) {
			return nil // by an earlier attempt without a response
		}
		return err
	})
}

// QuorumError: etcd would stop without a member.
type QuorumError struct{ Name, Problem string }

func (e *QuorumError) Error() string {
	return fmt.Sprintf("the member %s cannot be taken out: %s", e.Name, e.Problem)
}

// enoughWithout returns a *QuorumError if the other members that respond are not a majority
// of all others, or if another member is down and this one is not: that one must be removed
// first.
func enoughWithout(states []MemberState, out int) error {
	votes, down := 0, []string{}
	for i, s := range states {
		if i == out || s.id == 0 || s.Learner {
			continue
		}
		votes++
		if s.Problem != "" {
			down = append(down, cmp.Or(s.Name, s.Endpoint))
		}
	}
	it := states[out]
	switch answer, needed := votes-len(down), votes/2+1; {
	case it.Learner:
	case votes == 0:
		return &QuorumError{it.Name, "it is the only one, and has all that etcd holds"}
	case answer < needed:
		return &QuorumError{it.Name, fmt.Sprintf("of the %d others %d answer, and %d must; start %s first", votes, answer, needed, strings.Join(down, " and "))}
	case it.Problem == "" && len(down) > 0:
		return &QuorumError{it.Name, fmt.Sprintf("it answers, and %s does not; start that, or take it out first", strings.Join(down, " and "))}
	}
	return nil
}
