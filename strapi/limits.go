package strapi

import (
	"slices"
	"strconv"
	"strings"
)

// fit makes settings agree that several files make, or that Strapi takes together and Quire
// does not: of several limits the smallest counts, and of a default page that is larger than
// the largest one only as much as that allows.
func (r *reading) fit() {
	var list []Setting
	places := map[string]int{} // in list, by path
	for _, s := range r.settings {
		path := strings.Join(s.Path, "\x00")
		at, again := places[path]
		switch {
		case !again:
			places[path] = len(list)
			list = append(list, s)
			continue
		case numberOf(s) < numberOf(list[at]) || numberOf(s) == 0:
			list[at].Value = s.Value
		}
		list[at].Files = append(list[at].Files, s.Files...)
		list[at].Generated = list[at].Generated && s.Generated
	}
	r.settings = list
	usual, most := r.find("rest.defaultLimit"), r.find("rest.maxLimit")
	switch {
	case usual == nil || most == nil && numberOf(*usual) <= largestPage:
	case most == nil:
		r.settings = append(r.settings, Setting{Path: []string{"rest", "maxLimit"}, Value: usual.Value, Files: usual.Files})
	case numberOf(*usual) > numberOf(*most):
		usual.Value = most.Value
	}
}

// largestPage is the default of rest.maxLimit in site.json.
const largestPage = 100

// find is the setting at a path, nil for none.
func (r *reading) find(path string) *Setting {
	at := slices.IndexFunc(r.settings, func(s Setting) bool { return strings.Join(s.Path, ".") == path })
	if at < 0 {
		return nil
	}
	return &r.settings[at]
}

// numberOf is the number that a setting is, 0 where it is none.
func numberOf(s Setting) float64 {
	n, err := strconv.ParseFloat(string(s.Value), 64)
	if err != nil {
		return 0
	}
	return n
}
