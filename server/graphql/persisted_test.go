package graphql

import (
	"fmt"
	"strings"
	"testing"
)

// The known queries stay within their limits, and the one that was used last stays known.
func TestKnownQueriesAreBounded(t *testing.T) {
	s := newSchema(t, "../../testdata/site")
	first := Request{Query: "{ restaurants { name } }"}
	text := func(i, size int) string {
		return fmt.Sprintf("{ a%d: restaurants { name } } #", i) + strings.Repeat("x", size)
	}
	for i := range mostKnown + 100 {
		for _, r := range []Request{first, {Query: text(i, 0)}, {Query: text(i, i)}, {Query: text(i, knownTextBytes)}} {
			if _, refusal := s.Prepare(r); refusal != nil {
				t.Fatal(refusal)
			}
		}
		body := requestBody(first.Query, fmt.Sprintf(`{"n": "%d%s"}`, i, strings.Repeat("x", i)))
		one, refusal := s.PrepareBody(body, false)
		again, _ := s.PrepareBody(body, false)
		if refusal != nil || one == again || one.def != again.def {
			t.Fatal("a request that is repeated is read again, or shares what it has used", refusal)
		}
	}
	sum, requests := 0, 0
	for at := s.known.recent.Front(); at != nil; at = at.Next() {
		sum, requests = sum+at.Value.(*knownQuery).bytes, requests+len(at.Value.(*knownQuery).requests)
	}
	if requests != len(s.known.byRequest) || requests < mostRequests {
		t.Errorf("%d requests, found by %d texts", requests, len(s.known.byRequest))
	}
	if n := s.known.recent.Len(); n != len(s.known.byHash) || n > mostKnown || n < mostKnown/2 || sum != s.known.bytes || sum > knownBytes {
		t.Errorf("%d queries with %d bytes, counted as %d with %d", n, sum, len(s.known.byHash), s.known.bytes)
	}
	document, hash, _ := s.document(first)
	if again, _, _ := s.document(first); document != again || s.known.find(hash) != document {
		t.Error("the query that was used most is parsed again")
	}
}
