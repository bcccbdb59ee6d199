package query

import (
	"slices"
	"strconv"
	"strings"

	"quire/schema"
)

// The parameters beside filters.

func (q *asker) sort(key string, t *schema.Type) {
	var paths []string
	for range 1 + q.IntN(3) {
		paths = append(paths, q.sortPath(t))
	}
	way := func() string {
		if q.chance(100) {
			return pick(q.dice, "up", "", "Asc")
		}
		return pick(q.dice, "asc", "desc", "ASC", "DESC")
	}
	switch q.IntN(4) {
	case 0:
		for i, path := range paths {
			q.set(at(key, strconv.Itoa(i)), path+pick(q.dice, "", ":"+way()))
		}
	case 1:
		for _, path := range paths {
			q.set(key+"["+strings.ReplaceAll(path, ".", "][")+"]", way())
		}
	case 2:
		for i, path := range paths {
			q.set(at(key, strconv.Itoa(i))+"["+strings.ReplaceAll(path, ".", "][")+"]", way())
		}
	default:
		for i := range paths {
			paths[i] += pick(q.dice, "", ":"+way())
		}
		q.set(key, strings.Join(paths, pick(q.dice, ",", ", ", ",,")))
	}
}

// sortPath leads to a scalar, often through relations and components.
func (q *asker) sortPath(t *schema.Type) string {
	var names []string
	for {
		a := q.attribute(t, 2-len(names))
		if a.Kind == schema.JSON || a.Kind == schema.Blocks {
			continue
		}
		names = append(names, a.Name)
		if a.IsScalar() {
			return strings.Join(names, ".")
		}
		t = behindOf(a)
	}
}

func (q *asker) fields(key string, t *schema.Type) {
	var names []string
	for range 1 + q.IntN(4) {
		names = append(names, q.attribute(t, 0).Name)
	}
	if q.chance(10) {
		names = append(names, "*")
	}
	if q.chance(2) {
		q.set(key, strings.Join(names, ","))
		return
	}
	for i, name := range names {
		q.set(at(key, strconv.Itoa(i)), name)
	}
}

// behindAny are the attributes of a type that can be populated.
func behindAny(t *schema.Type) []*schema.Attribute {
	all := append(slices.Clone(t.Attributes), t.System...)
	return slices.DeleteFunc(all, func(a *schema.Attribute) bool { return a.IsScalar() || a.Hidden() })
}

func (q *asker) populate(key string, t *schema.Type, depth int) {
	all := behindAny(t)
	if len(all) == 0 || q.chance(5) {
		q.set(key, "*")
		return
	}
	if q.chance(15) && q.size < 20 {
		q.set(at(key, "*"), pick(q.dice, "1", "2", "2", "3", "0", "6", "-1", "x", ""))
		if q.chance(20) {
			q.set(at(key, pick(q.dice, all...).Name), "true")
		}
		return
	}
	switch q.IntN(4) {
	case 0:
		q.set(key, q.populatePath(t)+pick(q.dice, "", ","+q.populatePath(t)))
	case 1:
		for i := range 1 + q.IntN(3) {
			q.set(at(key, strconv.Itoa(i)), q.populatePath(t))
		}
	default:
		used := map[*schema.Attribute]bool{}
		for range 1 + q.IntN(4) {
			if a := pick(q.dice, all...); !used[a] {
				used[a] = true
				q.populateOne(at(key, a.Name), a, depth-1)
			}
		}
	}
}

func (q *asker) populatePath(t *schema.Type) string {
	var names []string
	for limit := 1 + q.IntN(3); len(names) < limit && (len(names) < 2 || q.size <= 100); {
		all := behindAny(t)
		if len(all) == 0 || len(names) > 0 && q.chance(3) {
			break
		}
		a := pick(q.dice, all...)
		names = append(names, a.Name)
		t = behindOf(a)
		if a.Kind == schema.DynamicZone {
			t = pick(q.dice, a.Zone...)
		}
	}
	if q.chance(60) {
		names = append(names, "zzz")
	}
	return strings.Join(names, ".")
}

// populateOne is one attribute of a populate object, with parameters of its own.
func (q *asker) populateOne(key string, a *schema.Attribute, depth int) {
	if depth < 0 || q.chance(3) {
		q.set(key, pick(q.dice, "true", "*", "1", "t", "false", "0"))
		return
	}
	if a.Kind == schema.DynamicZone {
		q.zone(key, a, depth)
		return
	}
	q.details(key, behindOf(a), depth)
	if q.chance(3) {
		q.sort(at(key, "sort"), behindOf(a))
	}
	if q.chance(5) {
		q.set(at(key, "count"), pick(q.dice, "true", "1", "false"))
	}
}

// details are fields, filters and populate of one type.
func (q *asker) details(key string, t *schema.Type, depth int) {
	before := len(q.params)
	if q.chance(3) {
		q.fields(at(key, "fields"), t)
	}
	if q.chance(3) {
		q.group(at(key, "filters"), t, 1)
	}
	if q.chance(2) || len(q.params) == before {
		q.populate(at(key, "populate"), t, depth)
	}
}

func (q *asker) zone(key string, a *schema.Attribute, depth int) {
	if q.chance(3) {
		q.set(at(key, "populate"), "*")
	} else {
		for _, t := range a.Zone {
			switch q.IntN(3) {
			case 0:
				q.set(at(at(key, "on"), t.UID), pick(q.dice, "true", "true", "false"))
			case 1:
				q.details(at(at(key, "on"), t.UID), t, depth)
			}
		}
	}
	if q.chance(6) {
		q.set(at(key, "count"), "true")
	}
}

func (q *asker) page() {
	number := func(from ...string) string {
		if q.chance(30) {
			return pick(q.dice, "x", "-1", "", "1.25", "1000", " 2")
		}
		return pick(q.dice, from...)
	}
	switch q.IntN(6) {
	case 0:
		q.set("pagination[page]", number("0", "1", "2", "3"))
		q.set("pagination[pageSize]", number("1", "2", "3", "7", "100"))
	case 1:
		q.set("pagination[start]", number("0", "1", "2", "10", "40"))
		q.set("pagination[limit]", number("0", "1", "2", "5", "100"))
	case 2:
		q.set("pagination["+pick(q.dice, "page", "pageSize", "start", "limit")+"]", number("1", "2", "3"))
	case 3:
		q.set("pagination[after]", pick(q.dice, "", "", "", "", "", "", "", "x"))
		for _, key := range pick(q.dice, []string{"limit"}, []string{"limit"}, []string{"pageSize"}, []string{"pageSize"}, nil, []string{"limit", "pageSize"}, []string{"page"}, []string{"start"}) {
			q.set(at("pagination", key), number("1", "3", "7", "100"))
		}
	}
	if q.chance(10) {
		q.set("pagination[withCount]", pick(q.dice, "true", "false", "0", "1", "t", "f", "x"))
	}
	if q.chance(50) {
		q.set(pick(q.dice, "page", "start", "limit"), number("1", "2"))
	}
}

// version is which version of entries is asked for, and _q.
func (q *asker) version(t *schema.Type) {
	if q.chance(3) {
		q.set("status", pick(q.dice, "draft", "draft", "draft", "published"))
	}
	switch q.IntN(8) {
	case 0, 1:
		q.set("locale", pick(q.dice, "*", "*", "fr", "it", "xx", ""))
	case 2:
		q.set("locale[0]", "fr")
		q.set("locale[1]", pick(q.dice, "en", "fr", "xx"))
	}
	switch q.IntN(10) {
	case 0, 1:
		q.set("fallbackLocale", pick(q.dice, "en", "fr", "it", "en,fr", "it,,fr", "fr,en,it", "fr,fr", "", ",", "xx", "*"))
	case 2:
		q.set("fallbackLocale[0]", pick(q.dice, "it", "en"))
		q.set("fallbackLocale[1]", pick(q.dice, "fr", "fr,en", "fr", "xx"))
	case 3:
		q.set("fallbackLocale"+pick(q.dice, "[x]", "[0][0]", ""), pick(q.dice, "fr", "en"))
	}
	switch q.IntN(12) {
	case 0, 1:
		q.set("publicationFilter", pick(q.dice, strings.Fields("never-published never-published-document has-published-version has-published-version-document modified unmodified published-without-draft published-with-draft")...))
	case 2:
		q.set("hasPublishedVersion", pick(q.dice, "true", "false"))
	}
	if q.chance(16) {
		q.set("include", pick(q.dice, "state", "state", "state", "state", "state", "state", "other", ""))
	}
	if q.chance(8) {
		text := pick(q.dice, append([]string{"2", "4", "0.", "1", "p1"}, textPool...)...)
		q.set("_q", pick(q.dice, text, q.piece(text), q.piece(text)))
		q.rank()
	}
	if q.chance(200) {
		q.rank()
	}
}

// rank has the query order what _q finds, mostly of all there is.
func (q *asker) rank() {
	if q.chance(3) {
		return
	}
	q.params = slices.DeleteFunc(q.params, func(param string) bool {
		return strings.HasPrefix(param, "sort") || strings.HasPrefix(param, "filters")
	})
	q.set("sort", "_rank"+pick(q.dice, "", "", ":asc", ":desc")+pick(q.dice, "", ",updatedAt:desc", ",createdAt"))
}
