package query

import (
	"errors"
	"quire/query/params"
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
		n, err := params.Parse(query, params.Limits{})
		check(t, err)
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

// A page that is no single value is refused, and not answered with the first one.
func TestPagesThatAreNone(t *testing.T) {
	site := loadSite(t)
	c := NewCompiler(site)
	for _, key := range []string{"page", "pageSize", "start", "limit", "withCount"} {
		for _, below := range []string{"[x]=1", "[]=1", "[0]=1", "[101]=1", "[$eq]=1", "[x][y]=1"} {
			for _, bare := range []bool{false, true} {
				query := "pagination[" + key + "]" + below
				n, err := params.Parse(query, params.Limits{})
				check(t, err)
				_, err = c.Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{Bare: bare})
				var refused *params.ParamError
				if !errors.As(err, &refused) || refused.Key != "pagination["+key+"]" || !strings.Contains(refused.Message, refused.Key) {
					t.Errorf("%s: %v", query, err)
				}
			}
		}
	}
	n, err := params.Parse("start[x]=1", params.Limits{})
	check(t, err)
	if _, err = c.Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{Bare: true}); err == nil {
		t.Error("start[x] is not refused where start stands at the top")
	}
}
