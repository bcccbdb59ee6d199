//go:build cluster

package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A member that joins waits for those that are behind: etcd does not start if the first
// member that it asks does not know it yet, or still knows one that was removed.
func TestAMemberThatJoinsWaitsForThoseBehind(t *testing.T) {
	const own, removed = "http://127.0.0.1:1", "http://127.0.0.1:2"
	named := make([][]string, 2) // what each running member answers
	members := []*pb.Member{{PeerURLs: []string{own}}}
	for i := range named {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			type member struct {
				ID       uint64   `json:"id"`
				PeerURLs []string `json:"peerURLs"`
			}
			var list []member
			for n, url := range named[i] {
				list = append(list, member{uint64(n + 1), []string{url}})
			}
			w.Header().Set("X-Etcd-Cluster-ID", "1")
			json.NewEncoder(w).Encode(list)
		}))
		defer s.Close()
		members = append(members, &pb.Member{PeerURLs: []string{s.URL}})
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	members = append(members, &pb.Member{PeerURLs: []string{gone.URL}})
	all := peers(members)
	former := append([]string{removed}, all...)
	for _, c := range []struct {
		name          string
		first, second []string
		want          error
	}{
		{"all know it", all, all, nil},
		{"one does not know it yet", all, all[1:], errLate},
		{"one knows a removed member", former, all, errLate},
	} {
		named[0], named[1] = c.first, c.second
		if err := (Options{Peer: own}).agreed(members); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// A member that is asked for its status while it is being removed says that it is unavailable,
// and does not end with the panic of etcd. Other panics end it, as etcd wants.
func TestStatusOfAMemberThatIsBeingRemoved(t *testing.T) {
	ask := func(method string) (err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
		}()
		_, err = withoutStatus(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: method}, func(context.Context, any) (any, error) { panic("no member") })
		return err
	}
	if err := ask(pb.Maintenance_Status_FullMethodName); status.Code(err) != codes.Unavailable {
		t.Errorf("status: %v", err)
	}
	if err := ask(pb.KV_Put_FullMethodName); err == nil || err.Error() != "panic: no member" {
		t.Errorf("put: %v", err)
	}
}
