//go:build cluster

package member

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
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
