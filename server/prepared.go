package server

import (
	"hash/maphash"
	"sync/atomic"

	"quire/auth"
	"quire/query"
	"quire/schema"
)

// prepared keeps compiled queries for those who ask the same: front ends do, all
// day long. What a query finds is never kept.
//
// Each question has one bucket, which holds the last query that belongs there. So
// nothing has to be counted or locked, and what is kept stays bounded whatever
// strangers ask.
type prepared struct {
	seed    maphash.Seed
	buckets [preparedQueries]atomic.Pointer[preparedQuery]
}

const (
	preparedQueries = 512
	preparedBytes   = 1 << 10 // of the query string; longer ones are not asked again
)

type preparedQuery struct {
	question
	query *query.Query
}

// question is all that compiling a read depends on besides the edition.
type question struct {
	t      *schema.Type
	rights auth.Rights // of the caller
	v4     bool
	params string // as they stand in the URL
}

func newPrepared() *prepared { return &prepared{seed: maphash.MakeSeed()} }

func (p *prepared) bucket(asked question) *atomic.Pointer[preparedQuery] {
	return &p.buckets[maphash.Comparable(p.seed, asked)%preparedQueries]
}

// find returns the query for a question, or nil when it is not kept.
func (p *prepared) find(asked question) *query.Query {
	if kept := p.bucket(asked).Load(); kept != nil && kept.question == asked {
		return kept.query
	}
	return nil
}

// put keeps a query, which must not be changed from then on.
func (p *prepared) put(asked question, q *query.Query) {
	if len(asked.params) <= preparedBytes {
		p.bucket(asked).Store(&preparedQuery{asked, q})
	}
}
