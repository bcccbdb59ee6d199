package params

import "testing"

// Queries as clients send them: four parameters, written by hand and encoded by
// a library, and a longer one.
var benchQueries = []struct{ name, query string }{
	{"Typical", "filters[name][$eq]=Biscotte&sort=name:desc&populate[chef][fields][0]=name&pagination[pageSize]=10"},
	{"Encoded", "filters%5Bname%5D%5B%24eq%5D=Chez%20Ana&sort=name%3Adesc&populate%5Bchef%5D%5Bfields%5D%5B0%5D=name&pagination%5BpageSize%5D=10"},
	{"Wide", pairs(100, "filters[id][$in][#]=1234#")},
	{"Largest", pairs(1000, "parameter[name#][x]=#")},
}

func BenchmarkParse(b *testing.B) {
	for _, q := range benchQueries {
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(q.query, Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
