//go:build cluster

package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"golang.org/x/crypto/bcrypt"

	"quire/store"
	"quire/store/cluster/member"
	"quire/test/program"
)

// papers are the files of an authority, and of one certificate of it.
type papers struct{ ca, cert, key string }

// newPapers makes an authority, and a certificate for this machine.
func newPapers(t *testing.T) (p papers) {
	t.Helper()
	folder := t.TempDir()
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "etcd of guide"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	own := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "guide"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	ownKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(ownKey)
	must(t, err)
	write := func(name, kind string, content []byte) string {
		path := filepath.Join(folder, name)
		must(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600))
		return path
	}
	signed, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	must(t, err)
	p.ca = write("ca.pem", "CERTIFICATE", signed)
	signed, err = x509.CreateCertificate(rand.Reader, own, authority, ownKey.Public(), authorityKey)
	must(t, err)
	p.cert, p.key = write("cert.pem", "CERTIFICATE", signed), write("key.pem", "PRIVATE KEY", private)
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// reach opens a journal and asks etcd.
func reach(t *testing.T, a Address) error {
	t.Helper()
	j, err := Open(a, Options{Node: "one"})
	if err != nil {
		return err
	}
	defer j.Close()
	return j.Reach(t.Context())
}

// requireMessage demands an error that says what is wrong, and no secret.
func requireMessage(t *testing.T, what string, err error, message string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), message) {
		t.Errorf("%s: %v, want that it says %q", what, err, message)
	} else if strings.Contains(err.Error(), "secret") {
		t.Errorf("%s: the error repeats the password: %v", what, err)
	}
}

// Who shows no certificate of the authority does not get in, and learns which is wrong.
func TestCertificates(t *testing.T) {
	own, other := newPapers(t), newPapers(t)
	endpoint, peer := program.FreeAddress(t), program.FreeAddress(t)
	m, err := member.Start(context.Background(), member.Options{
		Name: "m", Folder: t.TempDir(), Client: "https://" + endpoint, Peer: "https://" + peer, CA: own.ca, Certificate: own.cert, Key: own.key})
	must(t, err)
	t.Cleanup(m.Close)
	at := Address{Endpoints: []string{endpoint}, Site: "guide", CA: own.ca, Certificate: own.cert, Key: own.key}
	must(t, reach(t, at))
	j, err := Open(at, Options{Node: "one"})
	must(t, err)
	t.Cleanup(func() { j.Close() })
	beginEmpty(t, j)
	must(t, j.Check(t.Context()))
	for message, change := range map[string]func(*Address){
		"shows a certificate that is not to be trusted": func(a *Address) { a.CA = other.ca },
		"demands a certificate; give --etcd-cert":       func(a *Address) { a.Certificate, a.Key = "", "" },
		"refuses the certificate " + other.cert:         func(a *Address) { a.Certificate, a.Key = other.cert, other.key },
		"the certificate for etcd":                      func(a *Address) { a.Key = other.key },
	} {
		a := at
		change(&a)
		requireMessage(t, message, reach(t, a), message)
	}
	plain := Address{Endpoints: at.Endpoints, Site: "guide"}
	requireMessage(t, "without TLS", reach(t, plain), "as it does where it uses TLS and --etcd-ca is not given")
	at.Endpoints = []string{startMember(t, member.Options{})}
	requireMessage(t, "a member without TLS", reach(t, at), "as it does where it uses no TLS and --etcd-ca is given")
}

// users makes users in etcd: root, and guide, who may read and write one site.
func users(t *testing.T, endpoint string) {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop()})
	must(t, err)
	defer c.Close()
	for name, password := range map[string]string{"root": "secret of root", "guide": "secret of guide"} {
		_, err = c.UserAdd(t.Context(), name, password)
		must(t, err)
		_, err = c.RoleAdd(t.Context(), name)
		must(t, err)
		_, err = c.UserGrantRole(t.Context(), name, name)
		must(t, err)
	}
	_, err = c.RoleGrantPermission(t.Context(), "guide", "quire/guide/", clientv3.GetPrefixRangeEnd("quire/guide/"), clientv3.PermissionType(clientv3.PermReadWrite))
	must(t, err)
	_, err = c.AuthEnable(t.Context())
	must(t, err)
}

// Who has no user that may do so does not get in, and learns why. Who has goes on when etcd
// has forgotten who it is.
func TestUsers(t *testing.T) {
	o := member.Options{Name: "m", Folder: t.TempDir(), Client: "http://" + program.FreeAddress(t), Peer: "http://" + program.FreeAddress(t), TokenLife: 1, PasswordCost: bcrypt.MinCost}
	m := startAgain(t, o)
	defer func() { m.Close() }()
	endpoint := strings.TrimPrefix(o.Client, "http://")
	users(t, endpoint)
	at := Address{Endpoints: []string{endpoint}, Site: "guide", User: "guide", Password: "secret of guide"}
	open := func(node string) *Journal {
		j, err := Open(at, Options{Node: node})
		must(t, err)
		t.Cleanup(func() { j.Close() })
		return j
	}
	beginEmpty(t, open("one"))
	one, two := replicaOf(t, open("one")), replicaOf(t, open("two"))
	must(t, put(one, "a"))
	must(t, two.Fresh(t.Context()))
	for message, change := range map[string]func(*Address){
		`does not let the user "guide" in: the name or the password is wrong`: func(a *Address) { a.Password = "secret of another" },
		"lets nobody in without a user; give --etcd-user":                     func(a *Address) { a.User, a.Password = "", "" },
		`does not let the user "guide" do this; a node reads and writes`:      func(a *Address) { a.Site = "other" },
	} {
		a := at
		change(&a)
		requireMessage(t, message, reach(t, a), message)
	}
	m.Close()
	m = startAgain(t, o) // it has forgotten all who signed in
	for _, db := range []*store.DB{two, one} {
		for err := put(db, "b"); err != nil; err = put(db, "b") {
			if t.Context().Err() != nil || !store.Uncertain(err) && !errors.As(err, new(*store.RefusedError)) && !errors.As(err, new(*store.JournalError)) {
				t.Fatal(err)
			}
		}
	}
	must(t, two.Fresh(t.Context()))
}

func replicaOf(t *testing.T, j *Journal) *store.DB {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Journal: j})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func put(db *store.DB, name string) error {
	return db.Update(func(tx *store.Tx) error { return tx.PutRecord("tokens", name, []byte("1")) })
}

// A node starts where one of the members is gone, though it has to sign in at each.
func TestUsersWhereAMemberIsGone(t *testing.T) {
	endpoint := startMember(t, member.Options{PasswordCost: bcrypt.MinCost})
	users(t, endpoint)
	at := Address{Endpoints: []string{program.FreeAddress(t), endpoint}, Site: "guide", User: "guide", Password: "secret of guide"}
	for range 4 { // of which one begins with the member that is gone, nearly surely
		must(t, reach(t, at))
	}
}
