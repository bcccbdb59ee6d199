package graphql

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
)

// Queries that were parsed and found valid are known by the hash of their text, so that a
// repeated query is not parsed again, and clients need not send it again: Apollo's
// automatic persisted queries. A client that sends a hash that is not known gets an error,
// and sends the text.

// queryHash is the SHA-256 of the text of a query.
type queryHash [sha256.Size]byte

// readPersisted returns the hash in the extensions of a request; nil if there is none.
func readPersisted(extensions json.RawMessage) (*queryHash, *Refusal) {
	var e struct {
		PersistedQuery *struct {
			Version    int
			Sha256Hash string
		}
	}
	if len(extensions) == 0 {
		return nil, nil
	}
	switch err := json.Unmarshal(extensions, &e); {
	case err != nil:
		return nil, refuse(BadRequest, "`extensions` must be an object, with a hash in `persistedQuery`")
	case e.PersistedQuery == nil:
		return nil, nil
	case e.PersistedQuery.Version != 1:
		return nil, refuse(BadRequest, "Unsupported persisted query version")
	}
	hash := &queryHash{}
	if n, err := hex.Decode(hash[:], []byte(e.PersistedQuery.Sha256Hash[:min(len(e.PersistedQuery.Sha256Hash), 2*len(hash))])); err != nil || n != len(hash) {
		return nil, refuse(BadRequest, "`sha256Hash` must be 64 digits in hexadecimal")
	}
	return hash, nil
}

// Limits of the known queries. A parsed query takes up to 150 times its text.
const (
	mostKnown      = 1000
	knownBytes     = 512 << 10 // of all texts
	knownTextBytes = 32 << 10  // of one text; longer ones are always parsed
)

// knownQueries keeps the queries that were used last.
type knownQueries struct {
	mu     sync.Mutex
	bytes  int       // of the texts
	recent list.List // of *knownQuery, the last used one first
	byHash map[queryHash]*list.Element
}

func newKnownQueries() *knownQueries { return &knownQueries{byHash: map[queryHash]*list.Element{}} }

// knownQuery is a query that is valid. Nobody changes it.
type knownQuery struct {
	hash     queryHash
	document *ast.QueryDocument
	bytes    int
}

// find returns a query; nil if it is not known.
func (k *knownQueries) find(hash queryHash) *ast.QueryDocument {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.byHash[hash]
	if at == nil {
		return nil
	}
	k.recent.MoveToFront(at)
	return at.Value.(*knownQuery).document
}

// put adds a query, and forgets those that have not been used for longest.
func (k *knownQueries) put(hash queryHash, document *ast.QueryDocument, bytes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if bytes > knownTextBytes || k.byHash[hash] != nil {
		return
	}
	k.byHash[hash] = k.recent.PushFront(&knownQuery{hash, document, bytes})
	for k.bytes += bytes; k.bytes > knownBytes || len(k.byHash) > mostKnown; {
		last := k.recent.Remove(k.recent.Back()).(*knownQuery)
		delete(k.byHash, last.hash)
		k.bytes -= last.bytes
	}
}
