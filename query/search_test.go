package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"quire/index"
	"quire/index/language"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// foundBy returns the documentIds that a search for restaurants finds.
func foundBy(t testing.TB, c *Compiler, s *index.Snapshot, q string) map[string]bool {
	t.Helper()
	n, err := params.Parse("fields=id&pagination[pageSize]=1000&q="+url.QueryEscape(q), params.Limits{})
	check(t, err)
	search, err := c.CompileSearch(s.Site().Type("api::restaurant.restaurant"), n, everything{})
	check(t, err)
	text, _, err := search.Append(context.Background(), s, nil)
	check(t, err)
	var response struct{ Data []struct{ DocumentID string } }
	if err := json.Unmarshal(text, &response); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	found := map[string]bool{}
	for _, one := range response.Data {
		if found[one.DocumentID] {
			t.Errorf("%q finds %s twice", q, one.DocumentID)
		}
		found[one.DocumentID] = true
	}
	return found
}

// scanned returns the documents with a text of which a test of its words is true.
func scanned(s *index.Snapshot, test func(words []string) bool) map[string]bool {
	found := map[string]bool{}
	restaurants := s.Site().Type("api::restaurant.restaurant")
	tb := s.Table(restaurants, store.Published)
	tb.Live().Each(func(r index.Row) bool {
		e := tb.Entry(r)
		eachText(scope{restaurants, nil}, nil, func(way []*schema.Attribute, a *schema.Attribute) {
			s.EachSlot(e.Body, append(slices.Clone(way), a), func(slot []byte) {
				if slot != nil && test(tokensIn(index.PlainText(a, slot), language.Of("en"), nil)) {
					found[e.DocumentID] = true
				}
			})
		})
		return true
	})
	return found
}

// Words, phrases, beginnings and what is excluded are found as a scan of all texts finds them.
func TestSearchFindsWhatAScanFinds(t *testing.T) {
	site := loadSite(t)
	site.Settings.MaxLimit = 1000
	x := emptyIndex(t, site)
	guide(t, x, 60)
	s, c, rng := x.Snapshot(), NewCompiler(site), rand.New(rand.NewPCG(1, 2))
	en := language.Of("en")
	word := func() string { return guideWords[rng.IntN(len(guideWords))] }
	fits := func(word string) func(words []string) bool { // as it is, in another form, or with an error
		near := func(one string) bool {
			return one == word || en.Stem(one) == en.Stem(word) || editsOf(word) > 0 && one[0] == word[0] && oneEdit(word, one)
		}
		return func(words []string) bool { return slices.ContainsFunc(words, near) }
	}
	for range 8 {
		a, b := word(), word()
		both := scanned(s, fits(a))
		other := scanned(s, fits(b))
		maps.DeleteFunc(both, func(id string, _ bool) bool { return !other[id] })
		all := scanned(s, func([]string) bool { return true })
		excluded := scanned(s, func(words []string) bool {
			return slices.ContainsFunc(words, func(one string) bool { return en.Stem(one) == en.Stem(a) })
		})
		maps.DeleteFunc(all, func(id string, _ bool) bool { return excluded[id] })
		for q, want := range map[string]map[string]bool{
			a + " ":           scanned(s, fits(a)),
			a + " " + b + " ": both,
			"-" + a:           all,
			`"` + a + " " + b + `" `: scanned(s, func(words []string) bool {
				return strings.Contains(" "+strings.Join(words, " ")+" ", " "+a+" "+b+" ")
			}),
			a[:2]: scanned(s, func(words []string) bool {
				return slices.ContainsFunc(words, func(one string) bool { return strings.HasPrefix(one, a[:2]) })
			}),
		} {
			if len(want) == 0 {
				continue
			}
			if got := foundBy(t, c, s, q); !maps.Equal(got, want) {
				t.Fatalf("%q finds %d entries, and a scan %d", q, len(got), len(want))
			}
		}
	}
}

// oneEdit reports whether one edit makes a word another.
func oneEdit(word, other string) bool {
	for i := range len(word) + 1 {
		if i < len(word) && word[:i]+word[i+1:] == other {
			return true
		}
		if i+1 < len(word) && word[:i]+word[i+1:i+2]+word[i:i+1]+word[i+2:] == other {
			return true
		}
		for c := byte('a'); c <= 'z'; c++ {
			if word[:i]+string(c)+word[i:] == other || i < len(word) && word[:i]+string(c)+word[i+1:] == other {
				return true
			}
		}
	}
	return false
}

// Beyond the entries that are ranked, pages go on without a gap and without repetition.
func TestPagesOfASearchNeverOverlap(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, mostRanked+1000)
	c := NewCompiler(site)
	restaurants := site.Type("api::restaurant.restaurant")
	seen, total := map[string]bool{}, 0
	for start := 0; start < mostRanked+1000; start += 100 {
		n, _ := params.Parse("fields=id&pagination[limit]=100&q=r+&pagination[start]="+strconv.Itoa(start), params.Limits{})
		search, err := c.CompileSearch(restaurants, n, everything{})
		check(t, err)
		text, _, err := search.Append(context.Background(), x.Snapshot(), nil)
		check(t, err)
		var response struct {
			Data []struct{ DocumentID string }
			Meta struct{ Pagination struct{ Total int } }
		}
		check(t, json.Unmarshal(text, &response))
		total = response.Meta.Pagination.Total
		for _, one := range response.Data {
			if seen[one.DocumentID] {
				t.Fatalf("%s is on two pages", one.DocumentID)
			}
			seen[one.DocumentID] = true
		}
	}
	if len(seen) != total || total <= mostRanked {
		t.Errorf("%d entries are on the pages, of %d", len(seen), total)
	}
}

// A search that is cancelled ends soon, whatever it costs: the text, and the page.
func TestCostlySearchesEnd(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, mostRanked+4000)
	c, restaurants := NewCompiler(site), site.Type("api::restaurant.restaurant")
	words := make([]string, mostUnits)
	for i := range words {
		words[i] = strings.Repeat(string(rune('a'+i)), 8)
	}
	for name, query := range map[string]string{
		"words that are near nothing": "q=" + strings.Join(words, "+"),
		"many beginnings":             "q=r+a+b+c+d+e+s+t&facets=name,slug,tagline",
		"a page far behind":           "q=r&pagination[start]=7900&pagination[limit]=100",
		"a frequent phrase":           "q=%22restaurant+r%22",
	} {
		n, err := params.Parse(query, params.Limits{})
		check(t, err)
		search, err := c.CompileSearch(restaurants, n, everything{})
		check(t, err)
		whole := &patience{context.Background(), 1 << 30}
		if _, _, err := search.Append(whole, x.Snapshot(), nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		pauses := 1<<30 - whole.left
		for left := range min(pauses, 8) {
			hurried := &patience{context.Background(), left}
			if _, _, err := search.Append(hurried, x.Snapshot(), nil); err == nil || hurried.left < -2 {
				t.Errorf("%s: cancelled after %d of %d times, it goes on: %v, asks %d times more", name, left, pauses, err, -hurried.left)
			}
		}
	}
}

// FuzzSearch checks that what is hidden affects no search and no suggestion, whatever the
// parameters and whoever asks.
func FuzzSearch(f *testing.F) {
	for i, query := range []string{
		"q=a", "q=5ecret", `q="a b" -c`, "q=name&facets=name,chef.name&explain=1", "q=5ecrte&locale=*", "q=%E6%9D%B1%E4%BA%AC&status=draft", "q=a b&sort=name&pagination[start]=1",
		"q=-&facets=door_code", "q=one&filters[name][$contains]=a&populate=*", "facets=opening_hours.day&explain=true", "q=%22", "q=l'a -\"b", "q=a&publicationFilter=modified",
	} {
		f.Add(query, uint16(i))
		f.Add(query, uint16(i)|32)
	}
	site := loadSite(f)
	one, other := secretContent(f, site, " one"), secretContent(f, site, " other")
	c, account := NewCompiler(site), newFuzzedAccount(f, site)
	f.Fuzz(func(t *testing.T, raw string, choice uint16) {
		n, err := params.Parse(raw, params.Limits{})
		var search *Search
		if err == nil {
			search, err = c.CompileSearch(fuzzedType(site, choice), n, fuzzedCaller(account, choice))
		}
		if err != nil {
			if !isRefusal(err) || reveals(err.Error(), raw) {
				t.Fatalf("%q: refused with %#v", raw, err)
			}
			return
		}
		if a, b := search.work(one), search.work(other); a != b {
			t.Errorf("%q: the time of the search reveals what is hidden: %d steps and %d", raw, a, b)
		}
		for name, read := range map[string]func(*index.Snapshot) ([]byte, error){
			"the list": func(s *index.Snapshot) ([]byte, error) {
				text, _, err := search.Append(&patience{context.Background(), 40}, s, nil)
				return text, err
			},
			"the list of types": func(s *index.Snapshot) ([]byte, error) {
				text, _, err := Searches{search, search}.Append(&patience{context.Background(), 40}, s, nil)
				return text, err
			},
			"suggestions": func(s *index.Snapshot) ([]byte, error) {
				found, err := search.Suggest(&patience{context.Background(), 40}, s)
				return AppendSuggestions(nil, found), err
			},
		} {
			a, aErr := read(one)
			b, bErr := read(other)
			switch {
			case aErr != nil || bErr != nil: // more work than was allowed
			case !json.Valid(a):
				t.Errorf("%q: %s is not JSON: %s", raw, name, a)
			case !bytes.Equal(a, b) || reveals(string(a), raw):
				t.Errorf("%q: %s reveals what is hidden:\n%s\n%s", raw, name, a, b)
			}
		}
	})
}

// work returns how many steps it takes to find and order the entries of a search.
func (s *Search) work(at *index.Snapshot) int {
	x := newRun(&patience{context.Background(), 40}, at, s.query)
	defer x.close()
	m := s.query.selectRows(x)
	f := s.find(x, m)
	defer f.close()
	m.release(x)
	f.rows(0, s.query.paging.start+s.query.paging.size)
	return x.steps
}

// A search that looks for near words reads the words of all entries, which counts: it waits for
// its turn before that. Searches of several types are one read.
func TestASearchForNearWordsBecomesHeavy(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	g := &guideMaker{t: t, rng: rand.New(rand.NewPCG(7, 7)), edit: x.Edit()}
	for _, name := range []string{"dish", "chef"} {
		for i := range 1500 {
			word := "word" + strings.ReplaceAll(strconv.FormatInt(int64(i)*104729+9e9, 26), "q", "r")
			g.put(name, "", store.Published, fmt.Sprintf("%s%020d", name, i), store.Field{Name: "name", Value: text(word)})
		}
	}
	g.edit.Publish(store.CommitID{Revision: 1})
	c, s := NewCompiler(site), x.Snapshot()
	compile := func(q, name string, host Host) *Search {
		n, err := params.Parse("q="+q, params.Limits{})
		check(t, err)
		search, err := c.CompileSearch(site.Type("api::"+name+"."+name), n, everything{})
		check(t, err)
		search.Query().Guard(host, 2000)
		return search
	}
	closed := errors.New("closed")
	for _, test := range []struct {
		q     string
		types []string
		heavy bool
	}{
		{"qqqqqqqqqq", []string{"dish"}, false}, {"qqqqqqqqqq+qqqqqqqqqr", []string{"dish"}, true},
		{"qqqqqqqqqq", []string{"dish", "chef"}, true}, {"xq", []string{"dish", "chef"}, false},
	} {
		host, all := &gate{err: closed}, Searches{}
		for _, name := range test.types {
			all = append(all, compile(test.q, name, host))
		}
		_, _, err := all.Append(t.Context(), s, nil)
		if errors.Is(err, closed) != test.heavy || host.requested > 1 {
			t.Errorf("%s in %v: %v, and the gate was asked %d times", test.q, test.types, err, host.requested)
		}
		if _, err := all.Suggest(t.Context(), s); errors.Is(err, closed) != test.heavy {
			t.Errorf("suggestions for %s in %v: %v", test.q, test.types, err)
		}
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
