package graphql

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"quire/content/body"
)

// Queries that were parsed and found valid are known by the hash of their text, so that a
// repeated query is not parsed again, and clients need not send it again: Apollo's
// automatic persisted queries. A client that sends a hash that is not known gets an error,
// and sends the text.

// queryHash is the SHA-256 of the text of a query.
type queryHash [sha256.Size]byte

// readPersisted returns the hash in the extensions of a request; nil if there is none.
func readPersisted(extensions json.RawMessage) (*queryHash, *Refusal) {
	if len(extensions) == 0 {
		return nil, nil
	}
	if !json.Valid(extensions) {
		return nil, errExtensions
	}
	given := body.OfJSON(extensions)
	persisted := given.Member("persistedQuery")
	digits, _ := persisted.Member("sha256Hash").Text()
	hash := &queryHash{}
	switch {
	case !given.IsNull() && !given.IsObject(), !persisted.IsNull() && !persisted.IsObject():
		return nil, errExtensions
	case persisted.IsNull():
		return nil, nil
	case string(persisted.Member("version").JSON()) != "1":
		return nil, refuse(BadRequest, "Unsupported persisted query version")
	}
	if n, err := hex.Decode(hash[:], []byte(digits[:min(len(digits), 2*len(hash))])); err != nil || n != len(hash) {
		return nil, refuse(BadRequest, "`sha256Hash` must be 64 digits in hexadecimal")
	}
	return hash, nil
}

var errExtensions = refuse(BadRequest, "`extensions` must be an object, with a hash in `persistedQuery`")

// Limits of the known queries. A parsed query takes up to 150 times its text.
const (
	mostKnown      = 1000
	knownBytes     = 512 << 10 // of all texts, with those of requests
	knownTextBytes = 32 << 10  // of one text; longer ones are always parsed
	mostRequests   = 16        // of one query
	requestBytes   = 4 << 10   // of one request; longer ones are always read
)

// knownQueries keeps the queries that were used last, and whole requests for them: a
// request that is repeated is not even read again.
type knownQueries struct {
	mu        sync.Mutex
	bytes     int       // of the texts
	recent    list.List // of *knownQuery, the last used one first
	byHash    map[queryHash]*list.Element
	byRequest map[requestText]*list.Element
}

// requestText is the body of a POST, or the parameters of a GET.
type requestText struct {
	get  bool
	text string
}

func newKnownQueries() *knownQueries {
	return &knownQueries{byHash: map[queryHash]*list.Element{}, byRequest: map[requestText]*list.Element{}}
}

// knownQuery is a query that is valid. Nobody changes its document and its operations.
type knownQuery struct {
	hash     queryHash
	document *ast.QueryDocument
	bytes    int
	requests []knownRequest
}

type knownRequest struct {
	requestText
	operation *Operation
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

// put adds a query.
func (k *knownQueries) put(hash queryHash, document *ast.QueryDocument, bytes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if bytes > knownTextBytes || k.byHash[hash] != nil {
		return
	}
	k.byHash[hash] = k.recent.PushFront(&knownQuery{hash: hash, document: document, bytes: bytes})
	k.bytes += bytes
	k.trim()
}

// findRequest returns the operation of a request, ready to run; nil if it is not known.
func (k *knownQueries) findRequest(text requestText) *Operation {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.byRequest[text]
	if at == nil {
		return nil
	}
	k.recent.MoveToFront(at)
	requests := at.Value.(*knownQuery).requests
	own := *requests[slices.IndexFunc(requests, func(r knownRequest) bool { return r.requestText == text })].operation
	return &own
}

// putRequest adds a request for a known query, in place of its oldest one if it has many.
func (k *knownQueries) putRequest(text requestText, hash queryHash, o Operation) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.byHash[hash]
	if at == nil || len(text.text) > requestBytes || k.byRequest[text] != nil {
		return
	}
	q := at.Value.(*knownQuery)
	if len(q.requests) == mostRequests {
		k.forget(q, q.requests[0])
		q.requests = q.requests[1:]
	}
	q.requests = append(q.requests, knownRequest{text, &o})
	k.byRequest[text] = at
	q.bytes += len(text.text)
	k.bytes += len(text.text)
	k.trim()
}

func (k *knownQueries) forget(q *knownQuery, r knownRequest) {
	delete(k.byRequest, r.requestText)
	q.bytes -= len(r.text)
	k.bytes -= len(r.text)
}

// trim forgets the queries that have not been used for longest.
func (k *knownQueries) trim() {
	for k.bytes > knownBytes || len(k.byHash) > mostKnown {
		last := k.recent.Remove(k.recent.Back()).(*knownQuery)
		for _, r := range last.requests {
			k.forget(last, r)
		}
		delete(k.byHash, last.hash)
		k.bytes -= last.bytes
	}
}
