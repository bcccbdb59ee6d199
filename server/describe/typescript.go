package describe

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"quire/schema"
)

// The TypeScript that is the same for every site: entries and bodies, and what is asked
// and answered about them.
var (
	//go:embed prelude.ts
	preludeEntries string
	//go:embed prelude_life.ts
	preludeLife string
	prelude     = preludeEntries + preludeLife
)

var declared = regexp.MustCompile(`(?m)^(?:export )?type (\w+)`)

// preludeNames are the types that the prelude declares.
func preludeNames() []string {
	var names []string
	for _, match := range declared.FindAllStringSubmatch(prelude, -1) {
		names = append(names, match[1])
	}
	return names
}

// siteNames are the types that are generated for every site, whatever its
// content types are called.
var siteNames = []string{"LocaleCode", "ContentTypeUid", "CountsByDefault", "AnyEntry", "Collections", "Singles", "ActionEntry", "RouteOf", "QuireStepInput"}

const typesHeader = `// The types of this site's API, as "quire types" writes them. Do not edit: run it again.

`

// TypeScript returns a module with the types of every content type and component
// of the site, as answers show them and as bodies may have them. The text is the same
// for the same site, and compiles under strict.
func TypeScript(site *schema.Site) string {
	w := &typeWriter{site: site, names: nameTypes(site), versioned: versionedTypes(site)}
	w.WriteString(typesHeader + prelude)
	w.siteTypes()
	for _, t := range site.Public() {
		w.contentType(t)
	}
	for _, t := range site.Components {
		name := w.names[t]
		w.line("\n/** %s. */", typeText(t))
		w.shape(t, "")
		w.line("\n/** What goes into a new %s. */", name)
		w.input(name+"Input", t)
	}
	w.routes()
	return w.String()
}

// typeWriter is a module that is being written.
type typeWriter struct {
	strings.Builder
	site      *schema.Site
	names     map[*schema.Type]string
	versioned map[*schema.Type]bool
}

func (w *typeWriter) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// siteTypes writes the types that depend on the site as a whole.
func (w *typeWriter) siteTypes() {
	var locales, uids, entries []string
	for _, l := range w.site.Settings.Locales {
		locales = append(locales, strconv.Quote(l.Code))
	}
	for _, t := range w.site.Public() {
		uids = append(uids, strconv.Quote(t.UID))
		entries = append(entries, fmt.Sprintf("  | ({ __type: %q } & %s)", t.UID, w.entryOf(t)))
	}
	w.line("\n/** The languages that content is written in. */\nexport type LocaleCode = %s;", strings.Join(locales, " | "))
	w.line("\n/** The content types. */\nexport type ContentTypeUid =\n  | %s;", strings.Join(uids, "\n  | "))
	w.line("\n/** Whether lists count what they have, unless `withCount` says otherwise. */\ntype CountsByDefault = %t;", w.site.Settings.WithCount)
	w.line("\n/** An entry where it may be of any type. */\nexport type AnyEntry%s =\n%s;", w.declaredParameter(w.anyVersioned()), strings.Join(entries, "\n"))
}

func (w *typeWriter) anyVersioned() bool {
	return slices.ContainsFunc(w.site.Public(), func(t *schema.Type) bool { return w.versioned[t] })
}

// declaredParameter is how a type that differs between drafts and published
// entries declares that it does.
func (w *typeWriter) declaredParameter(versioned bool) string {
	if !versioned {
		return ""
	}
	return `<S extends EntryStatus = "published">`
}

// entryOf is the type of an entry or component, of the version at hand.
func (w *typeWriter) entryOf(t *schema.Type) string {
	if w.versioned[t] {
		return w.names[t] + "<S>"
	}
	return w.names[t]
}

// contentType writes the types of a content type in answers and in bodies.
func (w *typeWriter) contentType(t *schema.Type) {
	name := w.names[t]
	w.line("\n/** %s. */", typeText(t))
	w.shape(t, "  documentId: string;\n")
	if t.UID == schema.FileUID || t.UID == schema.RoleUID {
		return // their endpoints have bodies of their own
	}
	w.line("\n/** What goes into a new %s. */", name)
	w.input(name+"Create", t)
	w.line("\n/** Changes to a document of %s, or a draft of one: what is left out stays as it is. */", name)
	w.line("export type %sUpdate = Partial<%sCreate>;", name, name)
}

// typeText describes a type in a few words.
func typeText(t *schema.Type) string {
	switch {
	case t.IsComponent():
		return "The component " + t.UID
	case t.BuiltIn:
		return "The built-in type " + t.UID
	}
	return fmt.Sprintf("%s, at /api/%s", oneLine(t.Display), t.Route())
}

// oneLine is the text without line ends, for use in a comment.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "*/", "* /")
}

// shape writes the type of entries in answers.
func (w *typeWriter) shape(t *schema.Type, identity string) {
	w.line("export type %s%s = {", w.names[t], w.declaredParameter(w.versioned[t]))
	w.WriteString("  id: number;\n" + identity)
	scalars, populated := outputs(t)
	for _, a := range scalars {
		w.line("  %s: %s;", propertyName(a), w.scalarOutput(a))
	}
	for _, a := range populated {
		w.line("  %s?: %s;", propertyName(a), w.populatedOutput(a))
	}
	w.line("};")
}

// input writes the type of entries in bodies.
func (w *typeWriter) input(name string, t *schema.Type) {
	if len(t.Attributes) == 0 {
		w.line("export type %s = Record<string, never>;", name)
		return
	}
	w.line("export type %s = {", name)
	for _, a := range t.Attributes {
		if !writable(a) {
			continue
		}
		key := propertyName(a)
		if !neededToPublish(a) {
			key += "?"
		}
		w.line("  %s: %s;", key, w.inputType(a))
	}
	w.line("};")
}

// propertyName is the name of an attribute in a type.
func propertyName(a *schema.Attribute) string {
	if strings.Contains(a.Name, "-") {
		return quoteText(a.Name)
	}
	return a.Name
}

// neededToPublish reports whether a new entry must have the attribute before it can be
// published.
func neededToPublish(a *schema.Attribute) bool {
	switch {
	case a.Owner.UID == schema.UserUID && slices.Contains([]string{"password", "role"}, a.Name):
		return true
	case a.Owner.IsComponent() && isMany(a):
		return false
	}
	return a.AlwaysRequired() && a.Relation == nil && (a.Default == nil || a.Kind == schema.Password)
}

// writable reports whether bodies may name the attribute. They may not name the secrets
// of users.
func writable(a *schema.Attribute) bool {
	return !a.Reserved()
}
