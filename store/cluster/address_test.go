//go:build cluster

package cluster

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"quire/store"
	"quire/store/cluster/member"
)

func TestParseAddress(t *testing.T) {
	a, err := ParseAddress("etcd://a:2379,[::1]:2380/my-site")
	if err != nil || a.Site != "my-site" || !slices.Equal(a.Endpoints, []string{"a:2379", "[::1]:2380"}) || a.String() != "etcd://a:2379,[::1]:2380/my-site" {
		t.Errorf("%+v, %v", a, err)
	}
	for text, message := range map[string]string{
		"":                           "not the address of a cluster",
		"http://a:2379/guide":        "not the address of a cluster",
		"etcd://a:2379":              "not the address of a cluster",
		"etcd://a/guide":             "HOST:PORT",
		"etcd://a:2379,/guide":       "HOST:PORT",
		"etcd://a:2379/":             "lower-case",
		"etcd://a:2379/Guide":        "lower-case",
		"etcd://a:2379/a/b":          "lower-case",
		"etcd://a:2379/../x":         "lower-case",
		"etcd://u:secret@a:2379/one": "password",
		"etcd://u:secret@a:2379":     "password",
		"etcd://u:a/secret@a:2379/x": "password",
		"u:secret@a:2379/one":        "password",
	} {
		_, err := ParseAddress(text)
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: %v, want that it says %q", text, err, message)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error repeats the password: %v", text, err)
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add("content", "api::dog.dog", []byte("rex\x01"))
	f.Add("records", "tokens", []byte("\x00\x00"))
	f.Fuzz(func(t *testing.T, one, two string, key []byte) {
		if one == "" || two == "" || strings.Contains(one+two, "\x00") {
			t.Skip("no names of buckets")
		}
		k, o := keys{"guide"}, store.Op{Path: []string{one, two}, Key: key}
		got, err := k.parse(3, []byte(k.op(3, o)))
		if err != nil || !slices.Equal(got.Path, o.Path) || string(got.Key) != string(key) {
			t.Errorf("%q comes back as %q, %v", o, got, err)
		}
		if _, err := k.parse(4, []byte(k.op(3, o))); !errors.Is(err, errKey) {
			t.Errorf("a key of another generation: %v", err)
		}
	})
}

// Etcd with too small limits is refused, with the setting to change.
func TestLimitsOfEtcdAreProbed(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "guide")
	if err := j.Check(t.Context()); !errors.As(err, new(*NotBegunError)) {
		t.Errorf("a site that nobody has begun: %v", err)
	}
	beginEmpty(t, j)
	if err := j.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		limits  member.Options
		setting string
	}{
		{member.Options{TxnOps: 128}, "--max-txn-ops 4096"},
		{member.Options{RequestBytes: 1 << 20}, "--max-request-bytes 16777216"},
		{member.Options{RequestBytes: store.MaxBytes - 1<<10}, "--max-request-bytes 16777216"},
	} {
		j := openJournal(t, startMember(t, c.limits), "guide")
		var limit *LimitError
		if err := j.Probe(t.Context()); !errors.As(err, &limit) || !strings.Contains(err.Error(), c.setting) {
			t.Errorf("%s: %v", c.setting, err)
		}
	}
}

// Only one site of a name can be begun, and a node of other schemas writes no content.
func TestBeginAndActivate(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	j := openJournal(t, endpoint, "guide")
	j.schema = "first"
	beginEmpty(t, j)
	db, err := store.Open(t.TempDir()+"/quire.db", store.Options{})
	must(t, err)
	defer db.Close()
	if err := j.Begin(t.Context(), db); !errors.As(err, new(*BegunError)) {
		t.Errorf("begun twice: %v", err)
	}
	other := openJournal(t, endpoint, "guide")
	other.schema = "second"
	node, err := store.Open(t.TempDir()+"/quire.db", store.Options{Journal: other})
	must(t, err)
	defer node.Close()
	content := func(tx *store.Tx) error {
		entry := &store.Entry{ID: 1, DocumentID: "rex", Status: store.Published}
		return tx.Apply(store.Change{Type: "api::dog.dog", After: entry})
	}
	var refused *OtherSchemasError
	if err := node.Update(content); !errors.As(err, &refused) || store.Uncertain(err) {
		t.Errorf("content of other schemas: %v", err)
	}
	if err := node.Update(func(tx *store.Tx) error { return tx.PutRecord("sessions", "a", []byte("1")) }); err != nil {
		t.Errorf("a record: %v", err)
	}
	must(t, whileWriting(t, node, func() error { return other.Activate(t.Context()) }))
	if err := node.Update(content); err != nil {
		t.Errorf("content after the schemas were activated: %v", err)
	}
}

// whileWriting calls fn while a node writes one record after the other.
func whileWriting(t *testing.T, node *store.DB, fn func() error) error {
	t.Helper()
	end, ended := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-end:
				ended <- nil
				return
			default:
			}
			if err := putRecord(node, "again", []byte("1")); err != nil {
				ended <- err
				return
			}
		}
	}()
	err := fn()
	close(end)
	return errors.Join(err, <-ended)
}
