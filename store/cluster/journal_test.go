//go:build cluster

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"quire/store"
	"quire/store/cluster/member"
	"quire/store/storetest"
	"quire/test/program"
)

// The tests are about others that are gone, or said to be. Those that are there may take long to
// respond on a busy machine.
func TestMain(m *testing.M) {
	leaderTime, askTime, dialTime, cutOffAfter = 5*time.Second, 20*time.Second, 20*time.Second, time.Minute
	os.Exit(m.Run())
}

// startMember starts one member of etcd.
func startMember(t *testing.T, o member.Options) (endpoint string) {
	t.Helper()
	endpoint = program.FreeAddress(t)
	o.Name, o.Folder = "m", t.TempDir()
	o.Client, o.Peer = "http://"+endpoint, "http://"+program.FreeAddress(t)
	m, err := member.Start(context.Background(), o)
	must(t, err)
	t.Cleanup(m.Close)
	return endpoint
}

// openJournal opens a journal of that site.
func openJournal(t *testing.T, endpoint, site string) *Journal {
	t.Helper()
	j, err := Open(Address{Endpoints: []string{endpoint}, Site: site}, Options{Node: "one"})
	must(t, err)
	t.Cleanup(func() { j.Close() })
	return j
}

// beginEmpty begins a site without content.
func beginEmpty(t *testing.T, j *Journal) {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{})
	must(t, err)
	must(t, errors.Join(j.Begin(t.Context(), db), db.Close()))
}

func TestJournal(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	var sites atomic.Int64
	storetest.Run(t, func(t *testing.T) store.Journal {
		j := openJournal(t, endpoint, fmt.Sprint("site-", sites.Add(1)))
		beginEmpty(t, j)
		return j
	})
}
