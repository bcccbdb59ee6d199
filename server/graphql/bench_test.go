package graphql

import "testing"

func BenchmarkPrepare(b *testing.B) {
	s := newSchema(b, "../../testdata/site")
	r := Request{
		Query:     "query Q($n: String) { restaurants(filters: {name: {contains: $n}}, sort: \"name\", pagination: {limit: 25}) { documentId name chef { name } categories { name } sections { __typename ... on ComponentSectionCta { label } } } }",
		Variables: []byte(`{"n": "a"}`),
	}
	for b.Loop() {
		o, refusal := s.Prepare(r)
		if refusal != nil {
			b.Fatal(refusal)
		}
		if _, _, err := o.Tree(o.Roots()[0]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	site := load(b, "../../testdata/site")
	for b.Loop() {
		if _, err := New(site); err != nil {
			b.Fatal(err)
		}
	}
}
