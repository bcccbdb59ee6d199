package index

import (
	"cmp"
	"slices"
	"strings"

	"quire/index/language"
	"quire/schema"
)

// Use is an index that queries have requested, by the names of the schema, so that another
// process can build it in advance.
type Use struct {
	Type  string   `json:"type"` // UID
	Draft bool     `json:"draft,omitempty"`
	Kind  string   `json:"kind"`           // values, links, words, translations, references or terms
	Path  []string `json:"path,omitempty"` // names of attributes; for a component of a zone UID:NAME
	Count uint64   `json:"count"`          // how often it was requested, where the first time counts firstUse
}

// kindNames are the names of the kinds of indexes in a Use.
var kindNames = [...]string{valuesKind: "values", linksKind: "links", wordsKind: "words", translationsKind: "translations", referencesKind: "references", termsKind: "terms"}

// Uses lists the indexes that were requested, the most frequent first.
func (s *Snapshot) Uses() []Use {
	var uses []Use
	for _, c := range s.collections {
		for _, tb := range c.tables() {
			uses = append(uses, tb.uses()...)
		}
	}
	slices.SortFunc(uses, func(a, b Use) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.name(), b.name()))
	})
	return uses
}

// Searched lists the indexes that the first search with _q needs: those of the words of
// published entries, of the tables with at least so many.
func (s *Snapshot) Searched(least int) (uses []Use) {
	for _, c := range s.collections {
		if c.published.Len() < least {
			continue
		}
		for _, a := range c.Type.Attributes {
			if a.Searchable() && a.IsText() {
				uses = append(uses, Use{Type: c.Type.UID, Kind: kindNames[wordsKind], Path: []string{a.Name}, Count: 2 * firstUse})
			}
		}
	}
	return uses
}

// uses lists those of one table, also if only another version has them.
func (tb *Table) uses() (uses []Use) {
	tb.registry.mu.Lock()
	defer tb.registry.mu.Unlock()
	for key, one := range tb.registry.newest {
		if one.index.uses.Load() > 0 {
			uses = append(uses, tb.use(key, one.index))
		}
	}
	return uses
}

func (u *Use) name() string {
	return strings.Join(append([]string{u.Type, u.Kind, map[bool]string{true: "draft"}[u.Draft]}, u.Path...), " ")
}

// namesOf returns the path of an index, by names; nil for one of a table as a whole.
func namesOf(one pathIndex) []string {
	switch one := one.(type) {
	case *Values:
		return one.path.names()
	case *Links:
		return one.path.names()
	case *Words:
		return one.path.names()
	case *Terms:
		return one.path.names()
	}
	return nil
}

// firstUse is the count of the first request of an index. With it, the index is prepared at
// the next six starts even if nobody requests it again.
const firstUse = 63

// Prepare builds an index that was in use. It counts half as much as before, so that one
// that is not requested any more is dropped. If the site has no such index, Prepare builds
// nothing and reports false; nor if there is no memory for it. together are the words that are
// not divided in an index of terms.
func (s *Snapshot) Prepare(u Use, together language.Together) bool {
	tb, path, ok := s.placeOf(u)
	if !ok {
		return false
	}
	key := keyOf(u, path, together)
	if (*tb.indexes.Load())[key].pathIndex != nil {
		return true // a query was faster
	}
	if !s.prepare(tb, key.kind, path, together) {
		return false
	}
	if one := (*tb.indexes.Load())[key]; one.usage != nil { // otherwise another build has dropped it already
		one.uses.Store(u.Count / 2)
	}
	return true
}

// prepare builds an index of a kind that the path can have.
func (s *Snapshot) prepare(tb *Table, kind indexKind, path Path, together language.Together) bool {
	var err error
	if len(path.Attributes) == 0 {
		switch {
		case kind == translationsKind && tb.Type.Localized:
			_, err = s.ReadTranslations(patient{}, tb)
		case kind == referencesKind:
			_, err = s.ReadReferences(patient{}, tb)
		default:
			return false
		}
		return err == nil
	}
	last := path.Last()
	scalar := last.Relation == nil && last.Kind != schema.Component && last.Kind != schema.DynamicZone
	switch {
	case kind == valuesKind && scalar:
		_, err = s.ReadValues(patient{}, tb, path)
	case kind == wordsKind && last.IsText() && last.System == schema.NotSystem:
		_, err = s.ReadWords(patient{}, tb, path)
	case kind == termsKind && HasTerms(last):
		_, err = s.ReadTerms(patient{}, tb, path, together)
	case kind == linksKind && last.Relation != nil && last.Relation.Owns:
		_, err = s.ReadLinks(patient{}, tb, path)
	default:
		return false
	}
	return err == nil
}

// patient is a Reader that waits as long as it takes, and takes no more memory than others.
type patient struct{}

func (patient) Pause() error { return nil }

// pathOf returns the path with the names in a Use, false if the site has none.
func (s *Snapshot) pathOf(t *schema.Type, names []string) (Path, bool) {
	var attributes []*schema.Attribute
	for i, name := range names {
		if i > 0 {
			before := attributes[i-1]
			t = before.ComponentType
			if before.Kind == schema.DynamicZone {
				cut := strings.LastIndexByte(name, ':')
				if cut < 0 {
					return Path{}, false
				}
				if t, name = s.site.Type(name[:cut]), name[cut+1:]; !slices.Contains(before.Zone, t) {
					return Path{}, false
				}
			}
		}
		if t == nil || t.Attribute(name) == nil {
			return Path{}, false
		}
		attributes = append(attributes, t.Attribute(name))
	}
	return NewPath(attributes...), true
}
