//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"quire/store"
)

// Head is the value of the key of the last commit.
type Head struct {
	Revision   uint64 `json:"revision"`
	Mark       uint32 `json:"mark"`       // of 24 bits; random, see position
	After      uint64 `json:"after"`      // position of the commit before, of the same lineage; 0 for none
	Lineage    uint64 `json:"lineage"`    // see store.CommitID
	Generation uint64 `json:"generation"` // where the values are
	Newest     uint64 `json:"newest"`     // the highest generation that was current; its number is not used again
	Schema     string `json:"schema"`     // fingerprint of the schemas that the content is for
	Etcd       uint64 `json:"etcd"`       // the cluster of etcd that the lineage began in, see renewed
	Node       string `json:"node"`       // that has committed
	Time       int64  `json:"time"`       // time of the commit, milliseconds since 1970; see store.Tx.Time
}

// A position is etcd's revision of the head, followed by the mark of the commit. After etcd
// has been restored from a snapshot it uses revisions again; the mark then shows that it is
// another commit.
const markBits = 24

func position(revision int64, mark uint32) uint64 { return uint64(revision)<<markBits | uint64(mark) }

// etcdRevision returns etcd's revision of the head at a position.
func etcdRevision(position uint64) int64 { return int64(position >> markBits) }

func newMark() uint32 { return rand.Uint32N(1<<markBits-1) + 1 }

func newLineage() uint64 { return rand.Uint64() | 1 }

// later returns the time of a commit that is not an Update, by the rule of store.Tx.Time.
func later(before int64) int64 { return store.Later(time.Now(), before) }

func (h Head) text() string {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // it has only numbers and texts
	}
	return string(text)
}

func parseHead(value []byte) (h Head, err error) {
	if err := json.Unmarshal(value, &h); err != nil {
		return h, fmt.Errorf("the head in etcd cannot be read: %w", err)
	}
	if h.Lineage == 0 || h.Generation == 0 || h.Newest < h.Generation || h.Mark == 0 || h.Mark >= 1<<markBits {
		return h, fmt.Errorf("the head in etcd lacks its lineage, generation or mark: %.200s", value)
	}
	return h, nil
}
