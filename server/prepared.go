package server

import (
	"hash/maphash"
	"sync/atomic"

	"quire/auth"
	"quire/query"
	"quire/schema"
)

// prepared caches compiled queries, because front ends send the same requests again and
// again. It never caches the results of queries.
//
// Each question has one bucket, which holds the last query that hashes to it. So nothing
// has to be counted or locked, and the size of the cache is limited whatever strangers
// request.
type prepared struct {
	seed    maphash.Seed
	buckets [preparedQueries]atomic.Pointer[preparedQuery]
}

const (
	preparedQueries = 512
	preparedBytes   = 1 << 10 // of the query string; longer ones are not cached
)

type preparedQuery struct {
	question
	query *query.Query
}

// question is everything that compiling a read depends on, except the edition.
type question struct {
	t      *schema.Type
	rights auth.Rights // of the caller
	v4     bool
	one    bool   // document of a collection
	params string // as they are in the URL
}

func newPrepared() *prepared { return &prepared{seed: maphash.MakeSeed()} }

func (p *prepared) bucket(asked question) *atomic.Pointer[preparedQuery] {
	return &p.buckets[maphash.Comparable(p.seed, asked)%preparedQueries]
}

// find returns the query for a question, or nil if it is not cached.
func (p *prepared) find(asked question) *query.Query {
	if kept := p.bucket(asked).Load(); kept != nil && kept.question == asked {
		return kept.query
	}
	return nil
}

// put caches a query, which must not change any more.
func (p *prepared) put(asked question, q *query.Query) {
	if len(asked.params) <= preparedBytes {
		p.bucket(asked).Store(&preparedQuery{asked, q})
	}
}
