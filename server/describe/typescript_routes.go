package describe

import (
	"fmt"
	"slices"
	"strings"

	"quire/schema"
)

// The types that say what each route takes and answers.

// routes writes the types by the names that the routes have.
func (w *typeWriter) routes() {
	kinds := []struct {
		kind        schema.TypeKind
		name, about string
	}{
		{schema.Collection, "Collections", "The collection types by their names in paths."},
		{schema.Single, "Singles", "The single types by their names in paths."},
	}
	for _, k := range kinds {
		var lines []string
		depends := false
		for t := range w.site.Served() {
			if t.Kind == k.kind {
				lines = append(lines, w.route(t))
				depends = depends || w.versioned[t]
			}
		}
		w.line("\n/** %s */\nexport type %s%s = {\n%s};", k.about, k.name, w.declaredParameter(depends), strings.Join(lines, ""))
	}
	w.acted()
	w.stepInput()
}

// route is what there is at the routes of a type.
func (w *typeWriter) route(t *schema.Type) string {
	name := w.names[t]
	text := fmt.Sprintf("  %q: {\n    entry: %s;\n    create: %sCreate;\n    update: %sUpdate;\n    actions: %s;\n", t.Route(), w.entryOf(t), name, name, orNever(actionWords(t)))
	if t.Kind == schema.Collection {
		groups, ordered, numbers := figureNames(t)
		text += fmt.Sprintf("    figures: {\n      group: %s;\n      number: %s;\n      ordered: %s;\n    };\n",
			orNever(w.figures(t, groups, true)), orNever(w.figures(t, numbers, false)), orNever(w.figures(t, ordered, false)))
	}
	return text + "  };\n"
}

// actionWords are the actions of a type as paths have them.
func actionWords(t *schema.Type) (words []string) {
	for _, a := range []struct {
		action schema.Action
		word   string
	}{{schema.Publish, "publish"}, {schema.Unpublish, "unpublish"}, {schema.DiscardDraft, "discard-draft"}, {schema.Duplicate, "duplicate"}} {
		if slices.Contains(t.Actions(), a.action) {
			words = append(words, quoteText(a.word))
		}
	}
	return words
}

// figures are the attributes that figures can be asked of, those of components and, for
// groups, of relations among them.
func (w *typeWriter) figures(t *schema.Type, own []string, across bool) (words []string) {
	for _, name := range own {
		words = append(words, quoteText(name))
		if across && t.Attribute(name).HasMonth() {
			words = append(words, quoteText(name+".month"))
		}
	}
	_, populated := outputs(t)
	for _, a := range populated {
		leads := a.Kind == schema.Component && (across || !a.Repeatable) || across && a.Relation != nil && a.Relation.Target != nil
		if leads {
			words = append(words, "`"+a.Name+".${string}`")
		}
	}
	return words
}

// acted writes what an action shows: what is published, or the draft.
func (w *typeWriter) acted() {
	versioned := map[schema.TypeKind]bool{}
	for t := range w.site.Served() {
		versioned[t.Kind] = versioned[t.Kind] || w.versioned[t]
	}
	of := func(name string, kind schema.TypeKind) string {
		if versioned[kind] {
			return name + `<A extends "publish" ? "published" : "draft">`
		}
		return name
	}
	w.line("\n/** What the action A shows of a type: the published entry, or the draft. K is the name in paths. */")
	w.line("export type ActionEntry<K extends keyof Collections | keyof Singles, A extends DocumentAction> = RouteOf<%s & %s, K, A>;", of("Collections", schema.Collection), of("Singles", schema.Single))
	w.line("type RouteOf<R, K, A> = K extends keyof R ? (R[K] extends { entry: infer E; actions: infer B } ? (A extends B ? E : never) : never) : never;")
}

// stepInput writes what a release may be asked to do.
func (w *typeWriter) stepInput() {
	uids := map[schema.TypeKind][]string{}
	for t := range w.site.Served() {
		if t.DraftAndPublish {
			uids[t.Kind] = append(uids[t.Kind], quoteText(t.UID))
		}
	}
	w.line("\n/** One step of a release: on a document of a type with drafts, or on a single type, which has one document. */")
	w.line("export type QuireStepInput = { locales?: LocaleCode[] | [\"*\"] } & (\n  | { action: \"publish\"; discardDraft?: false }\n  | { action: \"unpublish\"; discardDraft?: boolean }\n) & (")
	w.line("    | { type: %s; documentId: string }", orNever(uids[schema.Collection]))
	w.line("    | { type: %s; documentId?: never }\n  );", orNever(uids[schema.Single]))
}

func orNever(words []string) string {
	if len(words) == 0 {
		return "never"
	}
	return strings.Join(words, " | ")
}
