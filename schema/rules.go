package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// readTextRules reads minLength, maxLength and regex.
func readTextRules(a *Attribute, o object) {
	a.MinLength, a.MaxLength = readCounts(o, "minLength", "maxLength")
	v, ok := o.get("regex")
	if !ok {
		return
	}
	text, _ := v.text()
	pattern, err := regexp.Compile(text)
	if err != nil {
		v.refuse("is an expression that this server cannot run: "+err.Error(),
			"rewrite it without lookaround, back-references and other JavaScript-only parts")
		return
	}
	a.Pattern, a.PatternText, a.PatternReach = pattern, text, patternReach(text)
}

// mostSteps bounds the work of matching one text, which can be one step for each
// byte of it and each instruction of the pattern: a second or so. Repetitions with
// a count are written out, so that a short pattern may have thousands.
const mostSteps = 1 << 24

// patternReach is how long a text may be to be matched with a valid pattern.
func patternReach(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0
	}
	return mostSteps / len(program.Inst)
}

// readCounts reads a pair of whole numbers that bound a length.
func readCounts(o object, lowKey, highKey string) (low, high *int) {
	return readBounds(o, lowKey, highKey, func(v value) (int, bool) { return v.whole(0) })
}

// readBounds reads two optional numbers of which the first is not above the second.
func readBounds[N int | int64 | float64](o object, lowKey, highKey string, read func(value) (N, bool)) (low, high *N) {
	bound := func(key string) *N {
		if v, ok := o.get(key); ok {
			if n, ok := read(v); ok {
				return &n
			}
		}
		return nil
	}
	low, high = bound(lowKey), bound(highKey)
	if low != nil && high != nil && *low > *high {
		o.refuseAt(lowKey, fmt.Sprintf("%v is more than %s %v", *low, highKey, *high), "swap or correct the two")
	}
	return low, high
}

// readEnum reads the values of an enumeration.
func readEnum(a *Attribute, o object) {
	v, ok := o.get("enum")
	if !ok {
		o.refuseAt("enum", "is missing", "list the values that the attribute may have")
		return
	}
	if items, ok := v.list(); ok && len(items) == 0 {
		v.refuse("is empty", "list the values that the attribute may have")
		return
	}
	for _, w := range v.words() {
		switch {
		case w.text == "":
			w.refuse("is an empty value", "remove it")
		case slices.Contains(a.Enum, w.text):
			w.refuse(fmt.Sprintf("%q stands here twice", w.text), "remove one of the two")
		default:
			a.Enum = append(a.Enum, w.text)
		}
	}
}

var fileClasses = []string{"images", "videos", "files", "audios"}

// readMedia makes the attribute a one-way relation to files.
func readMedia(a *Attribute, o object) {
	a.Relation = &Relation{Form: OneToOne, Owns: true}
	if o.flag("multiple", false) {
		a.Relation.Form = OneToMany
	}
	for _, w := range o.words("allowedTypes") {
		if !slices.Contains(fileClasses, w.text) {
			w.refuse(fmt.Sprintf("%q is not a class of files", w.text), "use "+strings.Join(fileClasses, ", "))
			continue
		}
		a.AllowedFiles = append(a.AllowedFiles, w.text)
	}
}

// readComponentUse reads an attribute that holds a component.
func (l *loader) readComponentUse(a *Attribute, o object) {
	l.declared[a].component = o.text("component")
	if a.Repeatable = o.flag("repeatable", false); a.Repeatable {
		a.MinItems, a.MaxItems = readCounts(o, "min", "max")
	}
}

// readZone reads a dynamic zone. The reference allows them in content types only.
func (l *loader) readZone(a *Attribute, o object) {
	if a.Owner.IsComponent() {
		o.refuseAt("type", "a component cannot hold a dynamic zone", "use a component attribute, or move the zone to the content type")
	}
	zone := o.words("components")
	l.declared[a].zone = zone
	if len(zone) == 0 {
		o.refuseAt("components", "names no component", "list the components that the zone allows")
	}
	a.MinItems, a.MaxItems = readCounts(o, "min", "max")
}
