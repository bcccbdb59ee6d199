package query

import (
	"strings"
	"testing"
)

// However far a page is, it is empty or refused: no number is too large, also
// where an int has 32 bits.
func TestFarPages(t *testing.T) {
	site := loadSite(t)
	s, c := secretContent(t, site, ""), NewCompiler(site)
	for query, taken := range map[string]bool{
		"pagination[start]=2147483648": true, "pagination[start]=214748364700": true, "pagination[page]=2147483647&pagination[pageSize]=100": true,
		"pagination[page]=4294967297&pagination[pageSize]=1": true, "pagination[start]=214748364701": false, "pagination[page]=1e300": false,
		"pagination[start]=9223372036854775808": false, "pagination[start]=Infinity": false, "pagination[page]=NaN": false,
	} {
		n, err := Parse(query, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		q, err := c.Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{})
		if (err == nil) != taken {
			t.Errorf("%s: %v", query, err)
		}
		if err != nil {
			continue
		}
		if out, err := q.AppendList(t.Context(), s, nil); err != nil || !strings.HasPrefix(string(out), `{"data":[],`) {
			t.Errorf("%s: %s, %v", query, out, err)
		}
	}
}
