package strapi

import (
	"slices"
	"strconv"
	"strings"
)

// fit reconciles settings from several files, or settings that Strapi accepts together and
// Quire does not: of several limits the smallest counts, and a default page larger than the
// maximum is reduced to it.
func (p *Project) fit() {
	var list []Setting
	places := map[string]int{} // in list, by path
	for _, s := range p.Settings {
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
	p.Settings = list
	usual, most := p.find("rest.defaultLimit"), p.find("rest.maxLimit")
	switch {
	case usual == nil || most == nil && numberOf(*usual) <= largestPage:
	case most == nil:
		p.Settings = append(p.Settings, Setting{Path: []string{"rest", "maxLimit"}, Value: usual.Value, Files: usual.Files})
	case numberOf(*usual) > numberOf(*most):
		usual.Value = most.Value
	}
}

// largestPage is the default of rest.maxLimit in site.json.
const largestPage = 100

// find returns the setting at a path, or nil.
func (p *Project) find(path string) *Setting {
	at := slices.IndexFunc(p.Settings, func(s Setting) bool { return strings.Join(s.Path, ".") == path })
	if at < 0 {
		return nil
	}
	return &p.Settings[at]
}

// numberOf returns the number of a setting, 0 if it is not a number.
func numberOf(s Setting) float64 {
	n, err := strconv.ParseFloat(string(s.Value), 64)
	if err != nil {
		return 0
	}
	return n
}
