package body

import (
	"encoding/json"
	"testing"
)

const benchBody = `{
	"name": "Biscotte", "tagline": "What the boats bring in", "story": "A place by the harbour, with a terrace for summer.",
	"price_tier": "p2", "stars": 4, "rating": 4.25, "seats": "40", "vegan": true, "founded": "1987-05-04", "opens_at": "11:30:00",
	"location": {"street": "1 Quay", "city": "Lyon"},
	"opening_hours": [{"day": "mon", "opens": "10:00:00", "closes": "22:00:00"}, {"day": "tue", "opens": "10:00:00", "closes": "22:00:00"}]
}`

func BenchmarkDecode(b *testing.B) {
	site := guide(b)
	t := site.Type("api::restaurant.restaurant")
	b.ReportAllocs()
	b.SetBytes(int64(len(benchBody)))
	for b.Loop() {
		if _, err := Decode(site, t, json.RawMessage(benchBody), nil); err != nil {
			b.Fatal(err)
		}
	}
}
