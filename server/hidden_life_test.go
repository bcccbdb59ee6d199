package server_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/schema"
)

// Hidden values also affect no response about the life of a document: its history, schedules,
// conditions on versions, aggregates, and positions in lists. Here the twins also have
// different histories. For the reader, they also differ in everything that it may not see:
// drafts, and entries of types that it may not find.

// openLife opens such twins. "reader" may do much, and sees neither drafts nor categories.
func openLife(t *testing.T, as string) *twins {
	w := openTwinsFor(t, as)
	for _, s := range w.sides {
		permissions := []string{"api::chef.chef.find", "plugin::quire.releases.find", "plugin::quire.releases.publish", "plugin::quire.schedules.find", "plugin::quire.schedules.delete"}
		for _, action := range []string{"find", "findOne", "create", "update", "delete", "readHistory", "publish", "unpublish", "discardDraft", "duplicate"} {
			permissions = append(permissions, restaurants+"."+action)
		}
		var err error
		s.tokens["reader"], err = s.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "reader", Kind: auth.Custom, Permissions: permissions})
		check(t, err)
		s.live(as == "reader")
	}
	return w
}

// live gives documents a past and a future.
func (s *side) live(deep bool) {
	shown := func(otherwise string) string {
		if deep {
			return s.mark
		}
		return otherwise
	}
	write := func(method, path, data string) {
		s.t.Helper()
		if data != "" && method == "PUT" {
			data = `{"data": ` + data + `}`
		}
		if a := s.send("full", method, s.path(path), data); a.status >= 300 {
			s.t.Fatalf("%s %s %s: %d %s", method, path, data, a.status, a.body)
		}
	}
	const one = "/api/restaurants/{" + restaurants + "}"
	write("PUT", one, `{"name": "rest two", "secret_note": "HIDDENzzzz", "door_code": "HIDDENzzzz"}`)
	write("PUT", one, `{"secret_note": "`+s.mark+`", "opening_hours": [{"day": "mon", "note": "`+s.mark+`"}, {"day": "tue"}]}`)
	write("PUT", one, `{"door_code": "`+s.mark+`"}`)
	// Other locales show that a shared value has changed, so both sides change one.
	s.make("both", "/api/restaurants", `{"name": "both", "secret_note": "`+s.mark+`"}`)
	write("PUT", "/api/restaurants/{api::both.both}?locale=fr", `{"name": "les deux", "secret_note": "`+s.mark+` 2", "seo": {"meta_title": "x"}}`)
	write("PUT", "/api/restaurants/{api::both.both}?status=draft", `{"name": "`+shown("both draft")+`", "secret_note": "`+s.mark+` 3"}`)
	write("PUT", "/api/categories/{api::category.category}", `{"name": "`+shown("cats")+`"}`)
	write("PUT", one+"?status=draft", `{"name": "`+shown("rest three")+`", "secret_note": "HIDDENzzzz", "tagline": "alpha"}`)
	s.make("gone", "/api/restaurants", `{"name": "gone", "secret_note": "`+s.mark+`"}`)
	write("PUT", "/api/restaurants/{api::gone.gone}?status=draft", `{"name": "`+shown("gone draft")+`"}`)
	write("DELETE", "/api/restaurants/{api::gone.gone}", "")
	s.make("unseen", "/api/restaurants?status=draft", `{"name": "`+shown("unseen")+`", "secret_note": "`+s.mark+`"}`)
	for i := range 6 { // pairs with equal names, which the hidden note would order
		note := "beta"
		if (i%2 == 0) == (s.mark < "HIDDENm") {
			note = "alpha alpha"
		}
		s.make(fmt.Sprint("r", i), "/api/restaurants", fmt.Sprintf(`{"name": "alpha %d", "slug": "alpha-%d", "tagline": "beta", "secret_note": %q, "seats": %d}`, i/2, i, note, i/3))
	}
	at := plannedFor.Format(time.RFC3339)
	for _, path := range []string{one, "/api/restaurants/{api::unseen.unseen}"} {
		write("POST", path+"/actions/publish", `{"at": "`+at+`"}`)
	}
	a := s.send("full", "POST", "/api/_releases", fmt.Sprintf(`{"data": {"name": "spring", "at": %q, "steps": [{"type": %q, "documentId": %q, "action": "publish"}, {"type": %q, "documentId": %q, "action": "publish"}]}}`,
		at, restaurants, s.ids[restaurants], restaurants, s.ids["api::unseen.unseen"]))
	s.want(201, a)
	s.ids["release"] = idOf(s.t, a)
}

// plannedFor is the time of the schedules.
var plannedFor = time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Second)

// path replaces names in a path or a body by the ids of this side.
func (s *side) path(path string) string {
	for uid, id := range s.ids {
		path = strings.ReplaceAll(path, "{"+uid+"}", id)
	}
	return path
}

// Values that differ between two sites, hidden or not.
var (
	madeIDs    = regexp.MustCompile(`"[a-z0-9]{24}"`)
	madeTimes  = regexp.MustCompile(`"20\d\d-\d\d-\d\dT[0-9:.]+Z"`)
	cursorsIn  = regexp.MustCompile(`"next":"([^"]*)"`)
	lengthOnly = func(text string) string { return fmt.Sprintf(`"next":"%d bytes"`, len(text)) }
)

// seen returns what a response shows, without values that differ between sites.
func (s *side) seen(a *answer) string {
	text := a.body
	for uid, id := range s.ids {
		if len(id) == 24 {
			text = strings.ReplaceAll(text, `"`+id+`"`, `"{`+uid+`}"`)
		}
	}
	text = madeTimes.ReplaceAllString(madeIDs.ReplaceAllString(text, `"ID"`), `"TIME"`)
	text = cursorsIn.ReplaceAllStringFunc(text, lengthOnly)
	return fmt.Sprint(a.status, " version ", a.header.Get(versionHeader), ", ", a.header.Get("Content-Length"), " bytes: ", text)
}

// same requires the same response of both sides, without hidden values.
func (w *twins) same(as, method, path, body string, headers ...string) *answer {
	w.t.Helper()
	var answers [2]*answer
	var seen [2]string
	for i, s := range w.sides {
		answers[i] = s.send(as, method, s.path(path), s.path(body), headers...)
		seen[i] = s.seen(answers[i])
	}
	if seen[0] != seen[1] {
		w.t.Errorf("%s %s %s by %q: the answer depends on what is hidden:\n%s", method, path, body, as, apart(seen))
	}
	if a := answers[0]; strings.Contains(a.body, "HIDDEN") && !strings.Contains(path+body, "HIDDEN") || strings.Contains(a.body, "$argon2") {
		w.t.Errorf("%s %s %s by %q shows what is hidden: %d %s", method, path, body, as, a.status, a.body)
	}
	if answers[0].status >= 500 {
		w.t.Errorf("%s %s %s by %q: %d %s", method, path, body, as, answers[0].status, answers[0].body)
	}
	return answers[0]
}

// apart returns the first difference of two texts, with its surroundings.
func apart(texts [2]string) string {
	at := 0
	for at < min(len(texts[0]), len(texts[1])) && texts[0][at] == texts[1][at] {
		at++
	}
	for i, text := range texts {
		texts[i] = text[:min(12, len(text))] + "…" + text[max(0, at-150):min(at+150, len(text))]
	}
	return texts[0] + "\n" + texts[1]
}

// life runs a test on twins of both kinds, as each caller who must not see the difference.
func life(t *testing.T, test func(t *testing.T, w *twins, as string)) {
	for _, as := range []string{"full", "reader", "account"} {
		t.Run(as, func(t *testing.T) { test(t, openLife(t, as), as) })
	}
}

// newest returns the highest version of the documents in the tests.
func (w *twins) newest() int {
	w.t.Helper()
	a := w.sides[0].send("full", "PUT", "/api/homepage", `{"data": {"title": "last"}}`)
	w.sides[1].send("full", "PUT", "/api/homepage", `{"data": {"title": "last"}}`)
	n, err := strconv.Atoi(a.header.Get(versionHeader))
	check(w.t, err)
	return n
}

var pastPaths = []string{"/api/restaurants/{" + restaurants + "}", "/api/restaurants/{api::gone.gone}", "/api/restaurants/{api::unseen.unseen}", "/api/restaurants/{api::both.both}"}

func TestHiddenValuesOfThePast(t *testing.T) {
	t.Parallel()
	life(t, func(t *testing.T, w *twins, as string) {
		last, shown, differ := w.newest(), 0, 0
		for _, path := range pastPaths {
			for _, q := range []string{"", "?status=draft", "?status=published", "?locale=fr", "?locale=*&status=published&pagination[pageSize]=2", "?pagination[start]=1&pagination[limit]=2"} {
				w.same(as, "GET", path+"/history"+q, "")
			}
			for n := range last + 1 {
				version := fmt.Sprintf("%s/history/%d", path, n)
				for _, q := range []string{"", "?locale=fr", "?status=draft", "?status=published"} {
					if a := w.same(as, "GET", version+q, ""); a.status == 200 {
						shown++
					}
				}
				for other := range last + 1 {
					if a := w.same(as, "GET", fmt.Sprintf("%s?diff=%d", version, other), ""); a.status == 200 && !strings.HasPrefix(a.body, `{"data":[],`) {
						differ++
					}
				}
			}
		}
		t.Logf("%d versions, %d differences", shown, differ)
		if shown < 10 || differ < 5 {
			t.Error("those are too few: nothing is tried")
		}
	})
}

func TestHiddenValuesInRestores(t *testing.T) {
	t.Parallel()
	life(t, func(t *testing.T, w *twins, as string) {
		last, done := w.newest(), 0
		for _, path := range pastPaths {
			for n := range last + 1 {
				if a := w.same(as, "POST", fmt.Sprintf("%s/history/%d/restore?populate=*&status=published", path, n), ""); a.status == 200 {
					done++
				}
			}
			w.same(as, "GET", path+"/history", "")
			if as != "reader" { // shows the reader what a draft was
				w.same(as, "POST", path+"/actions/publish?populate=*", "")
			}
			w.same(as, "GET", path+"?populate=*", "")
		}
		if as != "reader" && done == 0 {
			t.Error("nothing was restored")
		}
	})
}

func TestHiddenValuesInConflicts(t *testing.T) {
	t.Parallel()
	life(t, func(t *testing.T, w *twins, as string) {
		last, conflicts := w.newest(), 0
		for _, path := range pastPaths {
			for n := range last + 3 {
				for _, r := range [][3]string{
					{"PUT", path, `{"data": {"name": "late"}}`}, {"PUT", path + "?locale=fr", `{"data": {"name": "late"}}`}, {"DELETE", path, ""},
					{"POST", path + "/actions/publish", ""}, {"POST", path + "/actions/unpublish", ""}, {"POST", path + "/actions/discard-draft", ""},
					{"POST", path + "/history/5/restore", ""},
				} {
					tag := fmt.Sprint(n)
					if a := w.sides[0].send(as, "GET", w.sides[0].path(path), ""); a.header.Get(versionHeader) == tag || strings.HasPrefix(a.header.Get("ETag"), `"`+tag+`.`) {
						continue // it would be carried out
					}
					if a := w.same(as, r[0], r[1], r[2], "If-Match", tag); a.status == 412 {
						conflicts++
					}
				}
			}
		}
		if conflicts < 50 {
			t.Errorf("%d conflicts are too few: nothing is tried", conflicts)
		}
	})
}

func TestHiddenValuesInPlans(t *testing.T) {
	t.Parallel()
	life(t, func(t *testing.T, w *twins, as string) {
		w.same(as, "GET", "/api/_releases", "")
		w.same(as, "GET", "/api/_schedules", "")
		for _, path := range []string{"/api/_schedules?state=scheduled&pagination[pageSize]=1", "/api/_schedules?type=" + restaurants + "&documentId[]={" + restaurants + "}", "/api/_releases/{release}", "/api/_releases/{release}/check", pastPaths[0] + "/schedule", pastPaths[2] + "/schedule", pastPaths[1] + "/schedule"} {
			w.same(as, "GET", path, "")
		}
		at := plannedFor.AddDate(0, 0, 1).Format(time.RFC3339)
		for _, path := range pastPaths {
			w.same(as, "POST", path+"/actions/unpublish", `{"at": "`+at+`"}`)
			w.same(as, "GET", path+"/schedule", "")
		}
		w.same(as, "POST", "/api/_releases/{release}/publish", "")
		w.same(as, "GET", "/api/_releases/{release}", "")
		if as == "reader" {
			return // a former draft can be seen now
		}
		w.same(as, "GET", "/api/restaurants?sort=slug&filters[slug][$notNull]=true", "")
	})
}

func TestHiddenValuesInFigures(t *testing.T) {
	t.Parallel()
	life(t, func(t *testing.T, w *twins, as string) {
		var attributes []string
		for _, a := range w.site.Type(restaurants).Attributes {
			attributes = append(attributes, a.Name, "chef."+a.Name, "categories."+a.Name)
		}
		for _, name := range append(attributes, "categories.name", "opening_hours.note", "reviews.author.password", "nearby.secret_note") {
			w.same(as, "GET", "/api/restaurants/_count?filters["+strings.ReplaceAll(name, ".", "][")+"][$notNull]=true", "")
			for _, q := range []string{"groupBy=", "min=", "max=", "sum=", "avg=", "groupBy=price_tier&sort=max.", "groupBy=vegan&max=seats&min="} {
				w.same(as, "GET", "/api/restaurants/_aggregate?"+q+name, "")
				w.same(as, "GET", "/api/restaurants/_aggregate?status=draft&"+q+name, "")
			}
		}
		for _, text := range []string{"alpha", "beta", "HIDDENaaaa", "aaaa", "cat"} {
			w.same(as, "GET", "/api/restaurants/_count?_q="+text, "")
			w.same(as, "GET", "/api/restaurants/_aggregate?groupBy=name&_q="+text, "")
		}
	})
}

// Aggregates, ranks and cursors cannot name hidden attributes of any type.
func TestHiddenAttributesCannotBeNamedFurther(t *testing.T) {
	t.Parallel()
	for _, as := range []string{"full", "account"} {
		t.Run(as, func(t *testing.T) { cannotBeNamedFurther(t, openLife(t, as), as) })
	}
}

func cannotBeNamedFurther(t *testing.T, w *twins, as string) {
	requested := 0
	for _, ct := range w.site.Public() {
		if ct.BuiltIn {
			continue
		}
		path := "/api/" + ct.Route()
		for _, way := range w.ways(as, ct) {
			if !way.direct() {
				continue
			}
			dotted := strings.Join(way.keys(), ".")
			requests := []string{path + "?pagination[after]=&sort=" + dotted, path + "?sort=_rank," + dotted + "&_q=alpha"}
			if ct.Kind != schema.Single {
				requests = append(requests, path+"/_count?filters"+brackets(way.keys())+"[$startsWith]=HIDDENa")
				for _, figure := range []string{"groupBy", "groupBy[0]", "min", "max", "sum", "avg", "sort", "groupBy=name&sort"} {
					requests = append(requests, path+"/_aggregate?"+figure+"="+dotted)
				}
			}
			for _, request := range requests {
				if requested++; w.same(as, "GET", request, "").status != 400 {
					t.Errorf("%s is not refused", request)
				}
			}
		}
	}
	if requested < 100 {
		t.Errorf("%d requests are too few", requested)
	}
}

// Neither ranks nor positions in a list depend on hidden values, and the length of a cursor
// does not reveal them.
func TestHiddenValuesInOrders(t *testing.T) {
	t.Parallel()
	life(t, func(t *testing.T, w *twins, as string) {
		pages := 0
		for _, q := range []string{
			"sort=name", "sort=name:desc,id", "sort=tagline", "sort=_rank&_q=alpha", "sort=_rank&_q=beta", "sort=_rank,name&_q=a", "sort=_rank&_q=HIDDENa",
			"sort=chef.name,seats", "sort=slug&fallbackLocale=fr", "sort=name&locale=fr&fallbackLocale=en", "sort=name&populate=*", "sort=seats&populate[*]=3",
			"sort=name&populate[categories]=true", "sort=categories.name", "status=draft&sort=slug",
		} {
			w.same(as, "GET", "/api/restaurants?"+q, "")
			next := [2]string{}
			for more := true; more; {
				var answers [2]*answer
				for i, s := range w.sides {
					answers[i] = s.send(as, "GET", "/api/restaurants?pagination[limit]=2&"+q+"&pagination[after]="+next[i], "")
					next[i] = ""
					if found := cursorsIn.FindStringSubmatch(answers[i].body); found != nil {
						next[i] = found[1]
					}
				}
				if one, other := w.sides[0].seen(answers[0]), w.sides[1].seen(answers[1]); one != other {
					t.Errorf("a page of %s depends on what is hidden:\n%s", q, apart([2]string{one, other}))
				}
				pages++
				more = next[0] != "" && next[1] != ""
			}
		}
		if pages < 30 {
			t.Errorf("%d pages are too few", pages)
		}
	})
}

func TestHiddenValuesInBatches(t *testing.T) {
	t.Parallel()
	life(t, func(t *testing.T, w *twins, as string) {
		last := w.newest()
		one, unseen := pastPaths[0], pastPaths[2]
		for _, requests := range []string{
			`{"method": "PUT", "url": "` + one + `?populate=*", "body": {"data": {"name": "batched"}}}, {"method": "POST", "url": "` + one + `/actions/discard-draft?populate=*"}`,
			`{"method": "POST", "url": "` + one + `/actions/duplicate?populate=*"}, {"method": "PUT", "url": "/api/restaurants/{{0.documentId}}?populate=*", "body": {"data": {"name": "copied"}}}`,
			`{"method": "POST", "url": "` + unseen + `/actions/duplicate?populate=*"}`,
			`{"method": "POST", "url": "/api/restaurants?populate=*", "body": {"data": {"name": "made", "categories": ["{api::category.category}"], "chef": "{api::chef.chef}"}}}`,
			`{"method": "POST", "url": "` + one + `/actions/publish?populate=*"}, {"method": "POST", "url": "` + unseen + `/actions/unpublish?populate=*"}`,
			`{"method": "PUT", "url": "` + one + `", "body": {"data": {"name": "x"}}}`,
			`{"method": "DELETE", "url": "` + one + `?locale=fr"}`,
		} {
			w.same(as, "POST", "/api/_batch", `{"requests": [`+requests+`]}`)
			w.same(as, "GET", one+"?populate=*", "")
			w.same(as, "GET", one+"/history", "")
		}
		for n := range last {
			w.same(as, "POST", "/api/_batch", fmt.Sprintf(`{"requests": [{"method": "PUT", "url": "%s", "ifMatch": "%d", "body": {"data": {"name": "late"}}}]}`, one, n))
		}
	})
}
