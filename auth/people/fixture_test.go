package people

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"quire/auth"
	"quire/auth/password"
	_ "quire/auth/password/passwordtest"
	"quire/schema"
	"quire/store"
)

const secret = "correct horse battery"

// clock is moved by tests.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// node is a Directory on a data file.
type node struct {
	*Directory
	t     *testing.T
	clock *clock
}

func loadSite(t *testing.T) *schema.Site {
	t.Helper()
	site, err := schema.Load(os.DirFS("../../testdata/site"))
	check(t, err)
	return site
}

// openNode opens an empty data file, which follows a journal unless that is nil.
func openNode(t *testing.T, journal store.Journal) *node {
	t.Helper()
	n := &node{t: t, clock: &clock{now: time.Date(2026, time.May, 4, 9, 0, 0, 0, time.UTC)}}
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Journal: journal, Hasty: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	site := loadSite(t)
	keys, err := auth.Open(db, site, auth.Options{Now: n.clock.Now})
	check(t, err)
	t.Cleanup(func() { check(t, keys.Close(context.Background())) })
	n.Directory, err = Open(db, keys, site, Options{Now: n.clock.Now, Passwords: password.NewHasher()})
	check(t, err)
	t.Cleanup(n.Close)
	return n
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// addAccount makes an account.
func (n *node) addAccount(name, role string) *Account {
	n.t.Helper()
	a, err := n.Create(n.t.Context(), By{}, NewAccount{Name: name, Email: name + "@example.org", Role: role, Password: secret})
	check(n.t, err)
	return a
}

// enter signs an account in.
func (n *node) enter(name string) (token string) {
	n.t.Helper()
	token, err := n.SignIn(n.t.Context(), Credentials{Email: name + "@example.org", Password: secret})
	check(n.t, err)
	return token
}

// lasts reports whether a session lasts.
func (n *node) lasts(token string) bool {
	_, err := n.Session(token)
	return err == nil
}

// put stores records as they are.
func (n *node) put(bucket string, records map[string]string) {
	n.t.Helper()
	check(n.t, n.db.Update(func(tx *store.Tx) error {
		for key, value := range records {
			if err := tx.PutRecord(bucket, key, []byte(value)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// many are so many records, whose keys and values have their numbers.
func many(n int, key, value string) map[string]string {
	records := map[string]string{}
	for i := range n {
		records[fmt.Sprintf(key, i)] = fmt.Sprintf(value, i)
	}
	return records
}
