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
	}
	sum := 0
	for at := s.known.recent.Front(); at != nil; at = at.Next() {
		sum += at.Value.(*knownQuery).bytes
	}
	if n := s.known.recent.Len(); n != len(s.known.byHash) || n > mostKnown || n < mostKnown/2 || sum != s.known.bytes || sum > knownBytes {
		t.Errorf("%d queries with %d bytes, counted as %d with %d", n, sum, len(s.known.byHash), s.known.bytes)
	}
	document, hash, _ := s.document(first)
	if again, _, _ := s.document(first); document != again || s.known.find(hash) != document {
		t.Error("the query that was used most is parsed again")
	}
}
