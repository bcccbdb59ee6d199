//go:build cluster

package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
)

// keys are the names of a site's keys.
type keys struct{ site string }

func (k keys) top() string       { return "quire/" + k.site + "/" }
func (k keys) format() string    { return k.top() + "format" }
func (k keys) head() string      { return k.top() + "rev" }
func (k keys) freeze() string    { return k.top() + "hold" }
func (k keys) writer() string    { return k.top() + "writer" }
func (k keys) duty() string      { return k.top() + "duty" }
func (k keys) authority() string { return k.top() + "authority" }
func (k keys) nodes() string     { return k.top() + "node/" }

// former returns the key of the last head of a stored former generation.
func (k keys) former(g uint64) string { return fmt.Sprintf("%s%016x", k.formers(), g) }

func (k keys) formers() string { return k.top() + "former/" }

// values returns the prefix of the values of all generations. It sorts after the head, so
// that one watch sees both.
func (k keys) values() string { return k.top() + "s/" }

// generation returns the prefix of the values of one generation. Later generations sort
// after it.
func (k keys) generation(g uint64) string { return fmt.Sprintf("%s%016x/", k.values(), g) }

// op returns the name of the key for a value of the data file: its buckets, then an empty
// one and its key. No name of a bucket is empty or contains a zero.
func (k keys) op(g uint64, o store.Op) string {
	return k.generation(g) + strings.Join(o.Path, "\x00") + "\x00\x00" + string(o.Key)
}

var errKey = errors.New("a key that no Quire has written")

// parse is the inverse of op. The key of the operation is part of name.
func (k keys) parse(g uint64, name []byte) (o store.Op, err error) {
	rest, ok := bytes.CutPrefix(name, []byte(k.generation(g)))
	path, key, found := bytes.Cut(rest, []byte("\x00\x00"))
	if !ok || !found || len(path) == 0 {
		return o, fmt.Errorf("%q: %w", name, errKey)
	}
	return store.Op{Path: strings.Split(string(path), "\x00"), Key: key}, nil
}

// put returns the operation of etcd for one of the data file.
func (k keys) put(g uint64, o store.Op) clientv3.Op {
	if o.Value == nil {
		return clientv3.OpDelete(k.op(g, o))
	}
	return clientv3.OpPut(k.op(g, o), string(o.Value))
}
