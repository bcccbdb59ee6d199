package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"quire/content/event"
	"quire/content/history"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// everything may be read.
type everything struct{ schema.Unlimited }

func (everything) Allows(*schema.Type, schema.Action) bool { return true }

// shown is an entry in a response.
type shown struct {
	DocumentID string  `json:"documentId"`
	Title      *string `json:"title"`
	Code       *string `json:"code"`
	Rank       int     `json:"rank"`
	Score      int     `json:"score"`
	Note       any     `json:"note"`
	Caption    string  `json:"caption"`
	Name       string  `json:"name"`
	Tags       []shown `json:"tags"`
	Parent     *shown  `json:"parent"`
	Children   []shown `json:"children"`
}

// ask runs a query, and returns its entries and their number without pages.
func (w *world) ask(s *index.Snapshot, uid, raw string) ([]shown, int) {
	tree, err := params.Parse(raw, params.Limits{})
	must(err)
	compiler := w.compilers[s.Site()]
	if compiler == nil {
		compiler = query.NewCompiler(s.Site())
		w.compilers[s.Site()] = compiler
	}
	q, err := compiler.Compile(s.Site().Type(uid), tree, everything{}, query.Options{})
	must(err)
	text, err := q.AppendList(context.Background(), s, nil)
	if err != nil {
		w.fail("%s: %v", raw, err)
	}
	var response struct {
		Data []shown
		Meta struct{ Pagination struct{ Total int } }
	}
	must(json.Unmarshal(text, &response))
	return response.Data, response.Meta.Pagination.Total
}

// text returns the entry as line returns it.
func (e *shown) line() string {
	var tags []string
	for _, t := range e.Tags {
		tags = append(tags, t.DocumentID)
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	note := ""
	if e.Note != nil {
		note = fmt.Sprint(e.Note)
	}
	return lineOf(e.DocumentID, text(e.Title), text(e.Code), e.Rank+e.Score, note, tags)
}

// line returns what a response shows of a version.
func (s *state) line(id string, v *version) string {
	return lineOf(id, v.title, v.code, v.rank, v.note, s.shown(v))
}

func lineOf(id, title, code string, rank int, note string, tags []string) string {
	return strings.Join([]string{id, title, brief(code), strconv.Itoa(rank), note, strings.Join(tags, " ")}, ",")
}

// brief names a code, which is one letter many times.
func brief(code string) string { return code[:min(1, len(code))] + strconv.Itoa(len(code)) }

// matching returns the articles of a list, in its order.
func (s *state) matching(status, locale string, wanted func(string, *version) bool, order func(a, b *version) int) (lines []string) {
	found := map[string]*version{}
	for id, a := range s.articles {
		v := a.draft[locale]
		if status == "published" {
			v = a.live[locale]
		}
		if v != nil && wanted(id, v) {
			found[id] = v
		}
	}
	ids := []string{}
	for id := range found {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(order(found[a], found[b]), strings.Compare(a, b)) })
	for _, id := range ids {
		lines = append(lines, s.line(id, found[id]))
	}
	return lines
}

func byTitle(a, b *version) int {
	return cmp.Or(cmp.Compare(min(len(b.title), 1), min(len(a.title), 1)), strings.Compare(a.title, b.title))
}

func everyone(string, *version) bool { return true }

// list compares a list of articles.
func (w *world) list(x *index.Snapshot, s *state, status, locale, more string, wanted func(string, *version) bool, order func(a, b *version) int) {
	raw := "populate[tags][fields][0]=name&pagination[pageSize]=1000&status=" + status + "&locale=" + locale + more
	entries, total := w.ask(x, articleUID, raw)
	var is []string
	for _, e := range entries {
		is = append(is, e.line())
	}
	want := s.matching(status, locale, wanted, order)
	if !slices.Equal(is, want) || total != len(want) {
		w.fail("%s of revision %d shows %d:\n%s\nand should show\n%s", raw, x.Revision(), total, strings.Join(is, "\n"), strings.Join(want, "\n"))
	}
	w.count("read")
}

// compare compares all lists with a state.
func (w *world) compare(x *index.Snapshot, s *state) {
	for _, status := range []string{"draft", "published"} {
		for _, locale := range locales {
			w.list(x, s, status, locale, "&sort=title,documentId", everyone, byTitle)
		}
	}
	entries, _ := w.ask(x, categoryUID, "sort=documentId&populate[parent]=true&populate[children]=true&pagination[pageSize]=1000")
	var is, want []string
	for _, e := range entries {
		parent, children := "", []string{}
		if e.Parent != nil {
			parent = e.Parent.DocumentID
		}
		for _, c := range e.Children {
			children = append(children, c.DocumentID)
		}
		slices.Sort(children)
		is = append(is, fmt.Sprint(e.DocumentID, " ", e.Name, " ", parent, " ", children))
	}
	for id, c := range s.categories {
		parent, children := c.parent, []string{}
		if s.categories[parent] == nil {
			parent = ""
		}
		for other, c := range s.categories {
			if c.parent == id {
				children = append(children, other)
			}
		}
		slices.Sort(children)
		want = append(want, fmt.Sprint(id, " ", c.name, " ", parent, " ", children))
		w.owners(x, s, id)
	}
	slices.Sort(want)
	if !slices.Equal(is, want) {
		w.fail("the categories are\n%s\nand should be\n%s", strings.Join(is, "\n"), strings.Join(want, "\n"))
	}
}

// owners compares the articles that a category sees.
func (w *world) owners(x *index.Snapshot, s *state, id string) {
	for _, status := range []store.Status{store.Draft, store.Published} {
		var is, want []string
		for _, o := range x.Owners(x.Site().Type(articleUID).Attribute("tags"), x.Site().Type(categoryUID), id, status) {
			is = append(is, o.Key.DocumentID+" "+o.Key.Locale)
		}
		for article, a := range s.articles {
			versions := a.draft
			if status == store.Published {
				versions = a.live
			}
			for locale, v := range versions {
				if slices.Contains(v.tags, id) {
					want = append(want, article+" "+locale)
				}
			}
		}
		slices.Sort(is)
		if slices.Sort(want); !slices.Equal(is, want) {
			w.fail("category %s sees %q, and should see %q", id, is, want)
		}
	}
}

// read asks one thing at random, of the moment that the node shows.
func (n *node) read() {
	x := n.index.Snapshot()
	s := n.states[x.Revision()]
	if s == nil {
		n.fail("it shows revision %d, which never was; the last one is %d", x.Revision(), n.last)
	}
	status, locale := n.one("draft", "published"), n.one(locales...)
	byRank := func(a, b *version) int { return cmp.Compare((b.rank+10)%11, (a.rank+10)%11) } // none first

	switch n.random.IntN(19) / 2 {
	case 0:
		rank := 1 + n.random.IntN(10)
		n.list(x, s, status, locale, fmt.Sprintf("&sort=%s:desc,documentId&filters[%[1]s][$gte]=%d", s.shape.rank, rank), func(_ string, v *version) bool { return v.rank >= rank }, byRank)
	case 1:
		title := n.title()
		n.list(x, s, status, locale, "&sort="+s.shape.rank+":desc,documentId&filters[title][$contains]="+title, func(_ string, v *version) bool { return strings.Contains(v.title, title) }, byRank)
	case 2:
		if id := n.oneOf(s.categoryIDs()); id != "" {
			n.list(x, s, status, locale, "&sort=title,documentId&filters[tags][documentId][$eq]="+id, func(_ string, v *version) bool { return slices.Contains(v.tags, id) }, byTitle)
		}
	case 3:
		n.list(x, s, status, locale, "&sort=title,documentId&filters[code][$null]=true", func(_ string, v *version) bool { return v.code == "" }, byTitle)
	case 4:
		if id := n.oneOf(s.articleIDs()); id != "" {
			n.list(x, s, status, locale, "&filters[documentId][$eq]="+id, func(other string, _ *version) bool { return other == id }, byTitle)
		}
	case 5:
		name := n.name()
		n.list(x, s, status, locale, "&sort=title,documentId&filters[tags][name][$eq]="+name, func(_ string, v *version) bool {
			return slices.ContainsFunc(s.shown(v), func(id string) bool { return s.categories[id].name == name })
		}, byTitle)
	case 6:
		n.readHistory()
	case 8:
		n.readFiles(x, s)
	case 7:
		n.copies[min(1, n.random.IntN(30))].read(n)
	default:
		n.compare(x, s)
	}
}

// readHistory compares the former versions of an article with what they were.
func (n *node) readHistory() {
	id := n.oneOf(n.state.articleIDs())
	must(n.db.View(func(tx *store.Tx) error {
		all, err := history.Versions(tx, articleUID, id)
		must(err)
		kept := map[store.Key]int{}
		for _, v := range all {
			e, err := history.Read(tx, articleUID, v.Key, v.Revision(), func() error { return nil })
			if err != nil || e == nil {
				n.fail("revision %d of %v: %v, %v", v.Revision(), v.Key, e, err)
			}
			n.learn(e)
			kept[v.Key]++
		}
		for key, many := range kept {
			if many > keptVersions+keptVersions/2+1 { // and the current one
				n.fail("%v has %d versions", key, many)
			}
		}
		if n.random.IntN(10) > 0 {
			return nil
		}
		lost, err := history.Check(context.Background(), tx) // all of it
		for _, one := range lost {
			n.fail("the history: %v", one.Err)
		}
		return err
	}))
	n.count("read")
}

// reader is somebody who keeps a copy of the content by reading the log of changes: what the
// log names is read again, and if the log begins later, everything.
type reader struct {
	at      event.Position
	entries map[store.Name]*store.Entry
}

func (r *reader) read(n *node) {
	must(n.db.View(func(tx *store.Tx) error {
		changed, last := map[store.Name]bool{}, r.at.Revision
		err := event.Read(tx, r.at, func(c event.Commit) bool {
			if c.Revision <= last {
				n.fail("the log has revision %d after %d", c.Revision, last)
			}
			last = c.Revision
			for _, e := range c.Events {
				changed[store.Name{Type: e.Type, Key: store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status}}] = true
			}
			return true
		})
		gone := errors.As(err, new(*event.GoneError))
		if err != nil && !gone {
			return err
		}
		if gone || r.entries == nil {
			n.count("log read anew")
			r.entries = map[store.Name]*store.Entry{}
			for _, uid := range []string{articleUID, categoryUID, schema.FileUID} {
				must(tx.Scan(uid, func(e *store.Entry) error { changed[store.Name{Type: uid, Key: e.Key()}] = true; return nil }))
			}
		}
		for name := range changed {
			e, err := tx.Entry(name.Type, name.Key)
			must(err)
			if r.entries[name] = e; e == nil {
				delete(r.entries, name)
			}
		}
		r.at = event.Last(tx)
		return r.compare(n, tx)
	}))
	n.count("read")
}

// compare requires that the copy has all that the file has.
func (r *reader) compare(n *node, tx *store.Tx) error {
	is := newState()
	for name, e := range r.entries {
		is.put(name.Type, e)
	}
	want, _ := n.stored(tx)
	if a, b := is.text(), want.text(); a != b {
		n.fail("who reads the log has\n%s\nand the file has\n%s", a, b)
	}
	return nil
}
