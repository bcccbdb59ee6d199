package schema

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"quire/schema/source"
)

// readTextRules reads minLength, maxLength and regex.
func readTextRules(a *Attribute, o source.Object) {
	a.MinLength, a.MaxLength = readCounts(o, "minLength", "maxLength")
	v, ok := o.Get("regex")
	if !ok {
		return
	}
	text, _ := v.Text()
	pattern, err := regexp.Compile(text)
	if err != nil {
		v.Refuse("is an expression that this server cannot run: "+err.Error(),
			"rewrite it without lookaround, back-references and other JavaScript-only parts")
		return
	}
	a.Pattern, a.PatternText, a.PatternMaxBytes = pattern, text, maxPatternBytes(text)
}

// mostSteps limits the work of matching one text, which can be one step for each byte of
// the text and each instruction of the pattern: about a second. Repetitions with a count
// are expanded, so a short pattern may have thousands of instructions.
const mostSteps = 1 << 24

// maxPatternBytes returns the maximum length of a text that is matched with a valid
// pattern, so that it takes at most mostSteps.
func maxPatternBytes(pattern string) int {
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

// readCounts reads a pair of whole numbers that limit a length.
func readCounts(o source.Object, lowKey, highKey string) (low, high *int) {
	return readBounds(o, lowKey, highKey, func(v source.Value) (int, bool) { return v.Whole(0) })
}

// readBounds reads two optional numbers. The first must not be above the second.
func readBounds[N int | int64 | float64](o source.Object, lowKey, highKey string, read func(source.Value) (N, bool)) (low, high *N) {
	bound := func(key string) *N {
		if v, ok := o.Get(key); ok {
			if n, ok := read(v); ok {
				return &n
			}
		}
		return nil
	}
	low, high = bound(lowKey), bound(highKey)
	if low != nil && high != nil && *low > *high {
		o.RefuseAt(lowKey, fmt.Sprintf("%v is more than %s %v", *low, highKey, *high), "swap or correct the two")
	}
	return low, high
}

// readEnum reads the values of an enumeration, and its name.
func readEnum(a *Attribute, o source.Object) {
	a.EnumName = o.Text("enumName")
	v, ok := o.Get("enum")
	if !ok {
		o.RefuseAt("enum", "is missing", "list the values that the attribute may have")
		return
	}
	if items, ok := v.List(); ok && len(items) == 0 {
		v.Refuse("is empty", "list the values that the attribute may have")
		return
	}
	seen := map[string]bool{}
	for _, w := range v.Words() {
		switch {
		case w.Text == "":
			w.Refuse("is an empty value", "remove it")
		case seen[w.Text]:
			w.Refuse(fmt.Sprintf("%q occurs twice", w.Text), "remove one of the two")
		default:
			seen[w.Text] = true
			a.Enum = append(a.Enum, w.Text)
		}
	}
}

var fileClasses = []string{"images", "videos", "files", "audios"}

// readMedia makes the attribute a one-way relation to files.
func readMedia(a *Attribute, o source.Object) {
	a.Relation = &Relation{Form: OneToOne, Owns: true}
	if o.Flag("multiple", false) {
		a.Relation.Form = OneToMany
	}
	for _, w := range o.Words("allowedTypes") {
		if !slices.Contains(fileClasses, w.Text) {
			w.Refuse(fmt.Sprintf("%q is not a class of files", w.Text), "use "+strings.Join(fileClasses, ", "))
			continue
		}
		a.AllowedFiles = append(a.AllowedFiles, w.Text)
	}
}

// readComponentUse reads an attribute that holds a component.
func (l *loader) readComponentUse(a *Attribute, o source.Object) {
	l.declared[a].component = o.Text("component")
	if a.Repeatable = o.Flag("repeatable", false); a.Repeatable {
		a.MinItems, a.MaxItems = readCounts(o, "min", "max")
	}
}

// readZone reads a dynamic zone. Strapi allows them in content types only.
func (l *loader) readZone(a *Attribute, o source.Object) {
	if a.Owner.IsComponent() {
		o.RefuseAt("type", "a component cannot hold a dynamic zone", "use a component attribute, or move the zone to the content type")
	}
	zone := o.Words("components")
	l.declared[a].zone = zone
	if len(zone) == 0 {
		o.RefuseAt("components", "names no component", "list the components that the zone allows")
	}
	a.MinItems, a.MaxItems = readCounts(o, "min", "max")
}
