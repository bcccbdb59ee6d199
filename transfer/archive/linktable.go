package archive

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"quire/content"
	"quire/schema"
	"quire/store"
)

// linkLine is a link in an archive: left owns it, except for files, which in Strapi own the
// links that lead to them.
type linkLine struct {
	Kind     string  `json:"kind"`
	Relation string  `json:"relation"`
	Left     linkEnd `json:"left"`
	Right    linkEnd `json:"right"`
}

type linkEnd struct {
	Type  string   `json:"type"`
	Ref   rowRef   `json:"ref"`
	Field string   `json:"field,omitempty"`
	Pos   *float64 `json:"pos,omitempty"`
}

// rowRef is a numeric id, which some databases write as text. It is 0 for the documentIds
// in links between locales.
type rowRef uint64

func (r *rowRef) UnmarshalJSON(raw []byte) error {
	n, _ := strconv.ParseUint(strings.Trim(string(raw), `"`), 10, 53)
	*r = rowRef(n)
	return nil
}

// link is one link of an attribute.
type link struct {
	owner  uint64 // row of the attribute's owner
	target uint64 // row
	of     *schema.Type
	order  float64 // in the owner's list
	place  float64 // in the list that the target shows; 0 if there is none
}

// linkTable holds the links of an archive by the attributes that own them. When it is
// sorted, many goroutines may read it.
type linkTable struct {
	rows  *rowTable
	links map[*schema.Attribute][]link

	lost    atomic.Int64 // links to entries that are not in the archive
	foreign atomic.Int64 // links to another locale than their owner's
}

// foundLink is the link in a line, or why it is left out.
type foundLink struct {
	attribute *schema.Attribute
	link      link

	permission, role uint64 // of a link between these two, which is not an attribute in Quire

	staging *linkLine // of a workflow or a stage of Strapi

	foreign string // what it links, if that is not content
	lacks   lack   // what the site has no attribute or type for
	wrong   error
}

// parseLink reads one line.
func parseLink(site *schema.Site, line []byte) foundLink {
	var l linkLine
	if err := json.Unmarshal(line, &l); err != nil {
		return foundLink{wrong: err}
	}
	switch {
	case l.Left.Field == "localizations":
		return foundLink{} // follows from documentIds
	case l.Left.Type == permissionUID && l.Left.Field == "role":
		return foundLink{permission: uint64(l.Left.Ref), role: uint64(l.Right.Ref)}
	case l.Left.Ref == 0 || l.Right.Ref == 0:
		return foundLink{wrong: errNoRow}
	case isStaging(l.Left.Type) || isStaging(l.Right.Type):
		return foundLink{staging: &l}
	case l.Left.Type == schema.FileUID && l.Left.Field == "related":
		return l.owned(site, l.Right, l.Left, l.Right.Pos, nil)
	}
	if a := linkAttribute(site, l.Left); a != nil && a.Relation != nil && !a.Relation.Owns && a.Relation.Inverse != nil {
		l.Right.Field = a.Relation.Inverse.Name
		return l.owned(site, l.Right, l.Left, l.Right.Pos, l.Left.Pos)
	}
	if strings.HasPrefix(l.Relation, "morph") { // one order for both sides, except in Quire's own archives
		if l.Left.Pos == nil {
			l.Left.Pos = l.Right.Pos
		}
		return l.owned(site, l.Left, l.Right, l.Right.Pos, l.Left.Pos)
	}
	return l.owned(site, l.Left, l.Right, l.Left.Pos, l.Right.Pos)
}

// owned returns the link of an owner to a target.
func (l *linkLine) owned(site *schema.Site, owner, target linkEnd, order, place *float64) foundLink {
	a := linkAttribute(site, owner)
	to := site.Type(target.Type)
	switch {
	case site.Type(owner.Type) == nil && isForeign(owner.Type), to == nil && isForeign(target.Type):
		return foundLink{foreign: "links of " + owner.Type + " to " + target.Type}
	case a == nil || a.Relation == nil || !a.Relation.Owns:
		return foundLink{lacks: lack{"links of " + owner.Type + "." + owner.Field, noRelation}}
	case to == nil || to.IsComponent() || a.Relation.Target != nil && a.Relation.Target != to:
		return foundLink{lacks: lack{"links of " + owner.Type + "." + owner.Field + " to " + target.Type, noRelation}}
	}
	found := link{owner: uint64(owner.Ref), target: uint64(target.Ref), of: to, order: positionValue(order)}
	if a.Relation.Inverse != nil || a.Relation.Morph() && !a.Owner.IsComponent() {
		found.place = max(positionValue(place), 1.0/placesPerPosition)
	}
	return foundLink{attribute: a, link: found}
}

func positionValue(pos *float64) float64 {
	if pos == nil || math.IsNaN(*pos) {
		return 0
	}
	return min(max(*pos, -1e9), 1e9)
}

func linkAttribute(site *schema.Site, e linkEnd) *schema.Attribute {
	if t := site.Type(e.Type); t != nil {
		return t.Attribute(e.Field)
	}
	return nil
}

func (t *linkTable) add(f foundLink) {
	t.links[f.attribute] = append(t.links[f.attribute], f.link)
}

// sort groups the links by owner, in their order.
func (t *linkTable) sort() {
	for _, list := range t.links {
		slices.SortStableFunc(list, func(a, b link) int {
			return cmp.Or(cmp.Compare(a.owner, b.owner), cmp.Compare(a.order, b.order))
		})
	}
}

// placesPerPosition is the number of places between two positions of an archive, which may
// be fractions.
const placesPerPosition = 1 << 16

// Edges returns the edges of an attribute of one row.
func (t *linkTable) Edges(a *schema.Attribute, owner uint64, from store.Key) []store.Edge {
	list := t.links[a]
	i, found := slices.BinarySearchFunc(list, owner, func(l link, owner uint64) int { return cmp.Compare(l.owner, owner) })
	if !found {
		return nil
	}
	var edges []store.Edge
	for ; i < len(list) && list[i].owner == owner; i++ {
		edges = t.append(edges, a, list[i], from)
	}
	if n := len(edges); n > 1 && !a.Relation.Many() {
		last := edges[n-1]
		edges = slices.DeleteFunc(edges, func(e store.Edge) bool { return e.Target != last.Target })
	}
	return content.PairVersions(edges)
}

// append adds the edge of a link. The draft and the published row of a document are one
// target, unless the attribute links to them separately.
func (t *linkTable) append(edges []store.Edge, a *schema.Attribute, l link, from store.Key) []store.Edge {
	row, ok := t.rows.find(l.of, l.target)
	if !ok {
		t.lost.Add(1)
		return edges
	}
	e := store.Edge{Target: row.documentID, Place: uint64(l.place * placesPerPosition)}
	if a.Relation.Morph() {
		e.Type = l.of.UID
	}
	if content.Splits(a, a.Owner, l.of) {
		e.Only = row.status
	}
	switch {
	case from.Locale == "":
		e.Locale = row.locale
	case row.locale != "" && row.locale != from.Locale:
		t.foreign.Add(1)
		return edges
	}
	same := func(other store.Edge) bool {
		return other.Target == e.Target && other.Type == e.Type && other.Locale == e.Locale && other.Only == e.Only
	}
	if slices.ContainsFunc(edges, same) {
		return edges
	}
	return append(edges, e)
}

// rowTable has the rows of an archive by type and numeric id.
type rowTable struct {
	site   *schema.Site
	byType []map[uint64]row // by type ordinal
}

// row is the entry of a row.
type row struct {
	documentID string
	locale     string
	status     store.Status
}

func newRowTable(site *schema.Site) *rowTable {
	t := &rowTable{site: site, byType: make([]map[uint64]row, len(site.Types))}
	for i := range t.byType {
		t.byType[i] = map[uint64]row{}
	}
	return t
}

func (t *rowTable) find(of *schema.Type, id uint64) (row, bool) {
	r, ok := t.byType[t.site.TypeOrdinal(of)][id]
	return r, ok
}

// add reports false for a row that already exists.
func (t *rowTable) add(of *schema.Type, id uint64, r row) bool {
	rows := t.byType[t.site.TypeOrdinal(of)]
	if _, ok := rows[id]; ok {
		return false
	}
	for _, l := range t.site.Settings.Locales { // one string for all rows
		if l.Code == r.locale {
			r.locale = l.Code
		}
	}
	rows[id] = r
	return true
}
