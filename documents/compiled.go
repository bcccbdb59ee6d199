package documents

import (
	"hash/maphash"
	"sync/atomic"

	"quire/auth"
	"quire/query"
	"quire/query/params"
	"quire/schema"
)

// compiledQueries caches compiled queries, because front ends send the same requests again
// and again. It never caches the results of queries.
//
// Each key has one bucket, which has the last query that hashes to it. So nothing has to be
// counted or locked, and the size of the cache is limited whatever strangers request.
type compiledQueries struct {
	seed    maphash.Seed
	buckets [mostCompiled]atomic.Pointer[compiledQuery]
}

const (
	mostCompiled  = 512
	compiledBytes = 1 << 10 // of the query string; longer ones are not cached
)

type compiledQuery struct {
	compiledKey
	query *query.Query
}

// compiledKey is everything that compiling a read depends on, except the version of the site.
type compiledKey struct {
	t        *schema.Type
	rights   auth.Rights  // of the caller
	defaults *params.Node // see WithDefaults
	v4       bool
	shaped   bool   // see Shaped
	params   string // query string, or the key of a Shaped
}

func (p *compiledQueries) bucket(k compiledKey) *atomic.Pointer[compiledQuery] {
	return &p.buckets[maphash.Comparable(p.seed, k)%mostCompiled]
}

// find returns the query for a key, or nil if it is not cached.
func (p *compiledQueries) find(k compiledKey) *query.Query {
	if cached := p.bucket(k).Load(); cached != nil && cached.compiledKey == k {
		return cached.query
	}
	return nil
}

// put caches a query, which must not change any more.
func (p *compiledQueries) put(k compiledKey, q *query.Query) {
	if len(k.params) <= compiledBytes && !q.Large() {
		p.bucket(k).Store(&compiledQuery{k, q})
	}
}
