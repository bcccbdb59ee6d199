package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// state is what the site has at one moment, as simply as it can be said. A state and what it
// holds do not change: each write makes another one.
type state struct {
	shape      shape // of the schemas that the content is for
	articles   map[string]*article
	categories map[string]*category
	parcels    map[string]bool      // by key
	due        map[string]*schedule // by name
	files      map[string]string    // texts, by documentId
}

// shape is what migrations change in the schema of articles.
type shape struct {
	rank string // the name of the rank: "rank" or "score"
	note string // the type of the note: "integer", "string", or empty for none
}

// article is a document with drafts, in several locales.
type article struct{ draft, live map[string]*version }

// version is a draft or a published version. Its locales have the code in common.
type version struct {
	title string // required; empty for none
	code  string
	rank  int      // 1 to 10; 0 for none
	note  string   // a number or a word; empty for none
	tags  []string // documentIds of categories, of which some may be deleted

	stored shape // names and types of what is stored, for a version that was read
}

// category has no drafts and no locales. The list of those below it is made of their parents.
type category struct {
	name   string // required, and unique
	parent string // documentId; empty for none
}

// schedule publishes or unpublishes an article.
type schedule struct {
	at        time.Time
	article   string
	locale    string
	unpublish bool
}

func newState() *state {
	return &state{shape{"rank", ""}, map[string]*article{}, map[string]*category{}, map[string]bool{}, map[string]*schedule{}, map[string]string{}}
}

// next returns a state that may be changed.
func (s *state) next() *state {
	return &state{s.shape, maps.Clone(s.articles), maps.Clone(s.categories), maps.Clone(s.parcels), maps.Clone(s.due), maps.Clone(s.files)}
}

// change returns an article that may be changed, and is new if there is none.
func (s *state) change(id string) *article {
	a := &article{map[string]*version{}, map[string]*version{}}
	if was := s.articles[id]; was != nil {
		a = &article{maps.Clone(was.draft), maps.Clone(was.live)}
	}
	s.articles[id] = a
	return a
}

// save stores the draft of a locale, and its code in the other drafts.
func (a *article) save(locale string, v version) {
	a.draft[locale] = &v
	share(a.draft, v.code)
}

func share(versions map[string]*version, code string) {
	for locale, v := range versions {
		if v.code != code {
			other := *v
			other.code = code
			versions[locale] = &other
		}
	}
}

// publish publishes the draft of a locale, if it may be.
func (a *article) publish(locale string) bool {
	v := a.draft[locale]
	if v == nil || v.title == "" {
		return false
	}
	a.live[locale] = v
	share(a.live, v.code)
	return true
}

// base returns what an update of a locale begins with.
func (a *article) base(locale string) version {
	if v := a.draft[locale]; v != nil {
		return *v
	}
	for _, v := range a.draft {
		return version{code: v.code}
	}
	return version{}
}

// remove removes a locale of an article, or all.
func (s *state) remove(id, locale string) {
	if s.articles[id] == nil {
		return
	}
	a := s.change(id)
	if locale == all {
		clear(a.draft)
	} else {
		delete(a.draft, locale)
		delete(a.live, locale)
	}
	if len(a.draft) == 0 {
		delete(s.articles, id)
	}
}

// taken reports whether another category has a name.
func (s *state) taken(name, except string) bool {
	for id, c := range s.categories {
		if c.name == name && id != except {
			return true
		}
	}
	return false
}

// setParent gives a category another parent.
func (s *state) setParent(id, parent string) {
	c := *s.categories[id]
	c.parent = parent
	s.categories[id] = &c
}

// carryOut does what a schedule says, if that is possible, and forgets the schedule.
func (s *state) carryOut(name string) {
	d := s.due[name]
	delete(s.due, name)
	if was := s.articles[d.article]; was == nil || was.draft[d.locale] == nil {
		return
	}
	a := s.change(d.article)
	if d.unpublish {
		delete(a.live, d.locale)
	} else {
		a.publish(d.locale)
	}
}

// shown returns the tags that are not deleted.
func (s *state) shown(v *version) []string {
	return slices.DeleteFunc(slices.Clone(v.tags), func(id string) bool { return s.categories[id] == nil })
}

// text is all of the content, for comparisons and for people.
func (s *state) text() string {
	var lines []string
	for id, a := range s.articles {
		for status, versions := range map[string]map[string]*version{"draft": a.draft, "live": a.live} {
			for locale, v := range versions {
				lines = append(lines, locale+" "+status+" "+s.line(id, v))
			}
		}
	}
	for id, c := range s.categories {
		parent := c.parent
		if s.categories[parent] == nil {
			parent = ""
		}
		lines = append(lines, fmt.Sprint(id, " ", c.name, " below ", parent))
	}
	for id, text := range s.files {
		lines = append(lines, "file "+id+" "+text)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// records is what is not content: parcels, and what is due.
func (s *state) records() string {
	var lines []string
	for key := range s.parcels {
		lines = append(lines, "parcel "+key)
	}
	for _, d := range s.due {
		lines = append(lines, "due "+d.at.Format(momentForm)+" "+d.article)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// momentForm is how records of what is due begin.
const momentForm = "2006-01-02T15:04:05.000Z"
