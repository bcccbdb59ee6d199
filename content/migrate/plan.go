package migrate

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"quire/content/verify"
	"quire/store"
)

// Plan is what an [Evolution] does to the content. Its JSON is for programs, Text for
// people.
type Plan struct {
	Effects []Effect `json:"effects"`
	Entries int      `json:"entries"` // number that was read
	Changed int      `json:"changed"` // entries that are stored again, or deleted
	Partial bool     `json:"partial"` // the bounds were reached, and the numbers are those up to there
	Lossy   bool     `json:"lossy"`   // values that cannot be converted are deleted
}

// Bounds limit the work of a plan. The zero Bounds have no limit, except for the number of
// examples.
type Bounds struct {
	Examples int           // of each effect; 0 for three, less for none
	Entries  int           // maximum number of entries to read
	Time     time.Duration // maximum duration
}

// EffectKind says what happens to values.
type EffectKind string

const (
	Renamed       EffectKind = "renamed"       // they get another name; without an attribute, the type does
	Dropped       EffectKind = "dropped"       // they are deleted
	Hidden        EffectKind = "hidden"        // they are kept, and not served any more
	Shown         EffectKind = "shown"         // they were hidden, and are served again
	Converted     EffectKind = "converted"     // they become values of another kind
	Unconvertible EffectKind = "unconvertible" // they cannot be converted: they refuse the evolution, or are deleted
	Cut           EffectKind = "cut"           // a part of them no longer fits: it refuses the evolution, or is deleted
	Clashing      EffectKind = "clashing"      // their new name has a value already: they refuse the evolution
	Failing       EffectKind = "failing"       // they break a rule that they did not break before; they stay until they are written
	Relocated     EffectKind = "relocated"     // entries get a locale, or lose it
	Stranded      EffectKind = "stranded"      // their locale is removed: they refuse the evolution
	Drafted       EffectKind = "drafted"       // entries get a draft, because their type has drafts from now on
)

// Effect is what happens to the values of one attribute, or to the entries of a type.
type Effect struct {
	Kind   EffectKind `json:"kind"`
	Type   string     `json:"type"`             // content type, with its name in the new site
	Path   string     `json:"path,omitempty"`   // attribute, after those of components, with dots between them; empty for whole entries
	Detail string     `json:"detail,omitempty"` // both kinds, the former name, or the rule

	Documents int `json:"documents"` // without those that only relocate; exact up to a million
	Entries   int `json:"entries"`   // each locale, draft and published version counts
	Values    int `json:"values"`    // a component may have several

	Examples []Example `json:"examples,omitempty"`

	seen map[uint64]struct{} // documents
	last store.Name
}

// Example is one value of an effect. The value is shortened, and empty for private
// attributes and passwords.
type Example struct {
	Place      string `json:"place"` // for people: "j3m1 (draft, en)"
	DocumentID string `json:"documentId"`
	Locale     string `json:"locale,omitempty"`
	Status     string `json:"status"`
	Value      string `json:"value,omitempty"`
	After      string `json:"becomes,omitempty"`
	Why        string `json:"why,omitempty"`
}

// Limits of a plan that callers cannot set.
const (
	maxEffects       = 1000
	maxDocuments     = 1 << 20
	usualExamples    = 3
	shortenedExample = 80 // characters
)

// Changes reports whether anything that is stored changes.
func (p *Plan) Changes() bool {
	for _, f := range p.Effects {
		if f.Kind != Hidden && f.Kind != Shown && f.Kind != Failing {
			return true
		}
	}
	return p.Changed > 0
}

// Of returns the effects of some kinds.
func (p *Plan) Of(kinds ...EffectKind) (list []Effect) {
	for _, f := range p.Effects {
		if slices.Contains(kinds, f.Kind) {
			list = append(list, f)
		}
	}
	return list
}

// Text describes the plan for people: a line for each effect, and one for each example.
func (p *Plan) Text() string {
	var b strings.Builder
	for i := range p.Effects {
		f := &p.Effects[i]
		fmt.Fprintf(&b, "%s: %s\n", f.place(), f.sentence(p.Lossy))
		for _, x := range f.Examples {
			b.WriteString("    " + x.line() + "\n")
		}
	}
	if p.Partial {
		fmt.Fprintf(&b, "this is of the first %s; there are more\n", entries(p.Entries))
	}
	return b.String()
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

func (f *Effect) place() string { return strings.TrimSuffix(f.Type+"."+f.Path, ".") }

// sentence describes an effect with its numbers.
func (f *Effect) sentence(lossy bool) string {
	n := entries(f.Entries)
	if f.Path != "" {
		n = fmt.Sprintf("%s in %s", plural(f.Values, "value"), plural(f.Documents, "document"))
	}
	switch f.Kind {
	case Renamed:
		return n + ", stored as " + f.Detail
	case Dropped:
		if f.Detail != "" {
			n += " of " + f.Detail
		}
		return n + " deleted"
	case Hidden:
		if f.Detail != "" {
			n += " (" + f.Detail + ")"
		}
		return n + " kept, and not served any more"
	case Shown:
		return n + " stored under this name before, and served again"
	case Converted:
		return n + " converted, " + f.Detail
	case Clashing:
		return n + " would replace what is stored as " + f.Detail + " already"
	case Failing:
		return n + " not valid any more: " + f.Detail
	case Drafted:
		return n + " published without a draft, which becomes what is published"
	case Stranded:
		return n + " in the locale " + f.Detail + ", which the site would not have any more"
	case Relocated:
		return n + " change their locale; the type " + f.Detail
	}
	verb := map[bool]string{false: " cannot be converted, ", true: " deleted, as they cannot be converted, "}[lossy]
	if f.Kind == Cut {
		verb = map[bool]string{false: " cannot be kept whole, ", true: " cut, "}[lossy]
	}
	return n + verb + f.Detail
}

func (x *Example) line() string {
	line := x.Place + quoted(x.Value)
	if x.After != "" {
		line += " becomes" + quoted(x.After)
	}
	if x.Why != "" {
		line += ": " + x.Why
	}
	return line
}

// quoted returns a value after a space, or an empty text.
func quoted(value string) string {
	if value == "" {
		return ""
	}
	return " " + value
}

// tally collects effects.
type tally struct {
	bounds  Bounds
	effects []*Effect
	known   map[effectKey]*Effect
	full    bool
	seed    maphash.Seed
}

type effectKey struct {
	kind                EffectKind
	uid, path, detailed string
}

func newTally(b Bounds) *tally {
	if b.Examples == 0 {
		b.Examples = usualExamples
	}
	return &tally{bounds: b, known: map[effectKey]*Effect{}, seed: maphash.MakeSeed()}
}

// add counts one value, with an example of it.
func (t *tally) add(kind EffectKind, at verify.Spot, detail string, x Example) {
	key := effectKey{kind, at.Name.Type, at.Path, detail}
	f := t.known[key]
	if f == nil {
		if len(t.effects) >= maxEffects {
			t.full = true
			return
		}
		f = &Effect{Kind: kind, Type: at.Name.Type, Path: at.Path, Detail: detail, seen: map[uint64]struct{}{}}
		t.known[key] = f
		t.effects = append(t.effects, f)
	}
	f.Values++
	if f.last != at.Name {
		f.last = at.Name
		f.Entries++
		if hash := maphash.String(t.seed, at.Name.Key.DocumentID); len(f.seen) < maxDocuments {
			f.seen[hash] = struct{}{}
		}
	}
	if len(f.Examples) < t.bounds.Examples {
		k := at.Name.Key
		x.Place, x.DocumentID, x.Locale, x.Status = k.String(), k.DocumentID, k.Locale, k.Status.String()
		f.Examples = append(f.Examples, x)
	}
}

// list returns the effects in the order in which they were found first.
func (t *tally) list() []Effect {
	list := make([]Effect, 0, len(t.effects))
	for _, f := range t.effects {
		f.Documents = len(f.seen)
		f.seen, f.last = nil, store.Name{}
		list = append(list, *f)
	}
	return list
}
