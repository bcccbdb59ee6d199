package server_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Tests of cursors, fallback locales, and populate on several levels.

// shownList is a list as a front end reads it.
type shownList struct {
	Data []struct{ DocumentID, Name, Locale string }
	Meta struct {
		Pagination map[string]any
	}
}

func (c *client) list(as, path string) (l shownList) {
	c.t.Helper()
	a := c.send(as, "GET", path, "")
	if a.status != 200 {
		c.t.Errorf("%s: %d %s", path, a.status, a.body)
	}
	check(c.t, json.Unmarshal([]byte(a.body), &l))
	return l
}

// pages reads a list to its end, with cursors.
func (c *client) pages(as, path string) (all []shownList) {
	c.t.Helper()
	for next := ""; len(all) < 1000; {
		l := c.list(as, path+"&pagination[after]="+next)
		all = append(all, l)
		if l.Meta.Pagination["next"] == nil {
			return all
		}
		next = l.Meta.Pagination["next"].(string)
	}
	c.t.Errorf("%s does not end", path)
	return all
}

func TestAListFromCursorToCursor(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for i := range 10 {
		c.send("full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Dish %d"}}`, (i*7)%10))
	}
	var names []string
	pages := c.pages("full", "/api/dishes?sort=name&pagination[pageSize]=4")
	for _, l := range pages {
		for _, one := range l.Data {
			names = append(names, one.Name)
		}
	}
	if len(names) != 10 || !slices.IsSorted(names) || len(pages) != 3 {
		t.Errorf("%d pages of %q", len(pages), names)
	}
	if got := fmt.Sprint(pages[2].Meta.Pagination); got != "map[next:<nil> pageCount:3 pageSize:4 total:10]" {
		t.Error(got)
	}
	if got := fmt.Sprint(c.list("full", "/api/dishes?pagination[after]=&pagination[limit]=10&pagination[withCount]=false").Meta.Pagination); got != "map[limit:10 next:<nil>]" {
		t.Error(got)
	}
	if got := c.list("full", "/api/dishes?pagination[after]=&pagination[limit]=1000").Meta.Pagination["limit"]; got != 100.0 {
		t.Errorf("a page of %v", got)
	}
}

// Each entry that exists all the time is shown once, whatever others write meanwhile.
func TestCursorsWhileOthersWrite(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	times := map[string]int{} // how often an entry that nobody writes was shown
	var written []string
	for i := range 60 {
		id := c.send("full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Dish %02d"}}`, (i*37)%60)).documentID(t)
		if i%3 == 0 {
			written = append(written, id)
		} else {
			times[id] = 0
		}
	}
	var writer sync.WaitGroup
	stop := make(chan struct{})
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			c.send("full", "DELETE", "/api/dishes/"+written[i%len(written)], "")
			written[i%len(written)] = c.send("full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Dish %02d x"}}`, (i*7)%60)).documentID(t)
		}
	})
	for _, sort := range []string{"name:desc", "name", "createdAt", "updatedAt:desc", "id"} {
		for id := range times {
			times[id] = 0
		}
		for _, l := range c.pages("full", "/api/dishes?sort="+sort+"&pagination[limit]=4") {
			for _, one := range l.Data {
				if _, ours := times[one.DocumentID]; ours {
					times[one.DocumentID]++
				}
			}
		}
		for id, n := range times {
			if n != 1 {
				t.Errorf("sort=%s: %s is shown %d times", sort, id, n)
			}
		}
	}
	close(stop)
	writer.Wait()
}

// A cursor is valid after a restart, and not on another site.
func TestCursorsHoldAfterARestart(t *testing.T) {
	t.Parallel()
	folder, site := t.TempDir(), sampleSite(t)
	c, stop := newClientOf(t, folder, site, slog.New(slog.DiscardHandler))
	for i := range 5 {
		c.send("full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Dish %d"}}`, i))
	}
	const path = "/api/dishes?sort=name&pagination[limit]=2&pagination[after]="
	next := c.list("full", path).Meta.Pagination["next"].(string)
	stop()
	c, stop = newClientOf(t, folder, site, slog.New(slog.DiscardHandler))
	defer stop()
	if l := c.list("full", path+next); len(l.Data) != 2 || l.Data[0].Name != "Dish 2" {
		t.Errorf("the next page is %v", l.Data)
	}
	other := newClient(t)
	for i := range 5 {
		other.send("full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Dish %d"}}`, i))
	}
	if a := other.send("full", "GET", path+next, ""); a.status != 400 || !strings.Contains(a.Error.Message, "pagination[after]") {
		t.Errorf("another site takes it: %d %s", a.status, a.body)
	}
}

// translated creates three restaurants: in English and French, in English, in Italian.
func translated(t *testing.T, c *client) (both, english, italian string) {
	both = c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Both"}}`).documentID(t)
	c.send("full", "PUT", "/api/restaurants/"+both+"?locale=fr", `{"data": {"name": "Les deux"}}`)
	english = c.send("full", "POST", "/api/restaurants", `{"data": {"name": "English", "nearby": ["`+both+`"]}}`).documentID(t)
	italian = c.send("full", "POST", "/api/restaurants?locale=it", `{"data": {"name": "Italiano"}}`).documentID(t)
	return both, english, italian
}

func TestALocaleThatStandsIn(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	_, english, italian := translated(t, c)
	names := func(query string) string {
		var all []string
		for _, one := range c.list("full", "/api/restaurants?"+query).Data {
			all = append(all, one.Locale+" "+one.Name)
		}
		return strings.Join(all, ", ")
	}
	for _, test := range []struct{ query, want string }{
		{"locale=fr", "fr Les deux"},
		{"locale=fr&fallbackLocale=en&sort=name", "en English, fr Les deux"},
		{"locale=fr&fallbackLocale=en,it&sort=name:desc", "fr Les deux, it Italiano, en English"},
		{"locale=fr&fallbackLocale=it&fallbackLocale=en&sort=name", "en English, it Italiano, fr Les deux"},
		{"locale=fr&fallbackLocale[0]=it&sort=name", "it Italiano, fr Les deux"},
		{"fallbackLocale=fr&sort=name", "en Both, en English"},
		{"locale=fr&fallbackLocale=en&filters[name]=Both", ""},
		{"locale=fr&fallbackLocale=en&filters[locale]=en", "en English"},
		{"locale=fr&fallbackLocale=en&_q=engl", "en English"},
		{"locale=*&fallbackLocale=en&sort=name", "en Both, en English, it Italiano, fr Les deux"},
		{"locale=fr&fallbackLocale=", "fr Les deux"},
	} {
		if got := names(test.query); got != test.want {
			t.Errorf("%s: %s, want %s", test.query, got, test.want)
		}
	}
	if total := c.list("full", "/api/restaurants?locale=fr&fallbackLocale=en,it").Meta.Pagination["total"]; total != 3.0 {
		t.Errorf("%v in all", total)
	}
	one := c.send("full", "GET", "/api/restaurants/"+english+"?locale=fr&fallbackLocale=en&populate=nearby", "")
	if !strings.Contains(one.body, `"locale":"en"`) || !strings.Contains(one.body, `"name":"Les deux"`) {
		t.Errorf("a stand-in whose relation is translated: %s", one.body)
	}
	if a := c.send("full", "GET", "/api/restaurants/"+italian+"?locale=fr&fallbackLocale=en", ""); a.status != 404 {
		t.Errorf("neither locale: %d %s", a.status, a.body)
	}
}

func TestASingleTypeStandsIn(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.send("full", "PUT", "/api/homepage", `{"data": {"title": "Home"}}`)
	if a := c.send("full", "GET", "/api/homepage?locale=fr", ""); a.status != 404 {
		t.Errorf("without fallback: %d", a.status)
	}
	a := c.send("full", "GET", "/api/homepage?locale=fr&fallbackLocale=en", "")
	if a.status != 200 || !strings.Contains(a.body, `"title":"Home"`) || !strings.Contains(a.body, `"locale":"en"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	tag := a.header.Get("Etag")
	if a := c.send("full", "GET", "/api/homepage?locale=fr&fallbackLocale=en", "", "If-None-Match", tag); a.status != 304 {
		t.Errorf("nothing was written, and the answer is %d", a.status)
	}
	c.send("full", "PUT", "/api/homepage?locale=fr", `{"data": {"title": "Accueil"}}`)
	a = c.send("full", "GET", "/api/homepage?locale=fr&fallbackLocale=en", "", "If-None-Match", tag)
	if a.status != 200 || !strings.Contains(a.body, `"title":"Accueil"`) {
		t.Errorf("after the translation: %d %s", a.status, a.body)
	}
}

// Fallback locales show drafts only where drafts are read.
func TestADraftStandsInForDrafts(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	id := c.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "Draft"}}`).documentID(t)
	const query = "locale=fr&fallbackLocale=en"
	if n := len(c.list("full", "/api/restaurants?status=draft&"+query).Data); n != 1 {
		t.Errorf("%d drafts", n)
	}
	if n := len(c.list("full", "/api/restaurants?"+query).Data); n != 0 {
		t.Errorf("%d published entries", n)
	}
	if a := c.send("full", "GET", "/api/restaurants/"+id+"?"+query, ""); a.status != 404 {
		t.Errorf("a published version: %d", a.status)
	}
}

// Invalid input gets an error with its key.
func TestReadingFurtherRefuses(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct{ path, key string }{
		{"/api/dishes?pagination[after]=x", "pagination[after]"},
		{"/api/dishes?pagination[after]=" + strings.Repeat("A", 5000), "pagination[after]"},
		{"/api/dishes?pagination[after]=&pagination[page]=1", "pagination[after]"},
		{"/api/dishes?pagination[after]=&pagination[start]=1", "pagination[after]"},
		{"/api/dishes?pagination[after][x]=", "pagination[after]"},
		{"/api/users?pagination[after]=", "pagination[after]"},
		{"/api/restaurants?fallbackLocale=xx", "fallbackLocale"},
		{"/api/restaurants?fallbackLocale=*", "fallbackLocale"},
		{"/api/restaurants?fallbackLocale[x]=en", "fallbackLocale"},
		{"/api/restaurants?fallbackLocale[0][0]=en", "fallbackLocale"},
		{"/api/restaurants?locale=xx&fallbackLocale=en", "locale"},
		{"/api/homepage?fallbackLocale=en,xx", "fallbackLocale"},
		{"/api/dishes?populate[*]=0", "populate[*]"},
		{"/api/dishes?populate[*]=-1", "populate[*]"},
		{"/api/dishes?populate[*]=6", "populate[*]"},
		{"/api/dishes?populate[*]=03", "populate[*]"},
		{"/api/dishes?populate[*]=+3", "populate[*]"},
		{"/api/dishes?populate[*]=1.5", "populate[*]"},
		{"/api/restaurants?populate[chef][populate][*]=6", "populate[*]"},
		{"/api/restaurants?populate[*]=2&populate[chef]=true", "populate[*]"},
		{"/api/dishes?populate[*]=two", "*"},
		{"/api/dishes?populate[*]=", "*"},
		{"/api/dishes?populate[*][x]=1", "*"},
	} {
		a := c.send("full", "GET", test.path, "")
		if a.status != 400 || !strings.Contains(a.Error.Message, test.key) {
			t.Errorf("%.80s: %d %s", test.path, a.status, a.body)
		}
	}
	for _, path := range []string{"/api/dishes?fallbackLocale=xx", "/api/dishes?locale=xx&fallbackLocale[x]=y"} {
		if a := c.send("full", "GET", path, ""); a.status != 200 {
			t.Errorf("a type without locales: %d %s", a.status, a.body)
		}
	}
}
