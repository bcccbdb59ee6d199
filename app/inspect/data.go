package inspect

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quire/content/body"
	"quire/content/migrate"
	"quire/schema"
	"quire/schema/source"
	"quire/store"
	"quire/transfer/strapi"
)

// Report is the result of a check.
type Report struct {
	Problems []source.Problem `json:"problems"`
	Notes    []string         `json:"notes"`
	Code     []CodeFile       `json:"code"`    // files of the project's own code
	Ignored  []strapi.Ignored `json:"ignored"` // other files of a Strapi project, which Quire does not run

	// Salvaged means that the data file is damaged and was not changed: its readable
	// content is in another file.
	Salvaged bool `json:"-"`
}

// Runs is the verdict on a file that runs.
const Runs = "runs"

// CodeFile says of a file of a project's code whether it runs.
type CodeFile struct {
	File    string `json:"file"`
	Verdict string `json:"verdict"` // Runs, "runs in part" or "does not run"
	Why     string `json:"why,omitempty"`
}

// Problem adds a problem: its file and place, and how to fix it.
func (r *Report) Problem(file, place, message, fix string) {
	r.Problems = append(r.Problems, source.Problem{File: file, Place: place, Message: message, Fix: fix})
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// count returns a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// dataCheck compares the stored content with the schemas, and counts the differences: each
// one once, with the number of entries that have it.
type dataCheck struct {
	site     *schema.Site
	leftover map[leftover]int // not in the schemas any more: stored, not served
	wrong    map[string]int   // in the schemas, and stored in another form
}

// leftover is stored content that is not in the schemas any more.
type leftover struct {
	what   string
	remedy string // the command that fixes it; empty if there is none
}

// checkEntries reads every entry and reports differences from the schemas.
func (r *Report) checkEntries(file string, site *schema.Site, tx *store.Tx) error {
	c := &dataCheck{site, map[leftover]int{}, map[string]int{}}
	for _, uid := range tx.Types() {
		if err := tx.Lend(uid, func(e *store.Entry) error { c.entry(uid, e); return nil }); err != nil {
			return err
		}
	}
	for _, what := range slices.Sorted(maps.Keys(c.wrong)) {
		r.Problems = append(r.Problems, source.Problem{
			File:    file,
			Message: fmt.Sprintf("%s (%s)", what, count(c.wrong[what], "entry", "entries")),
			Fix:     "`quire migrate convert --dry-run` shows what becomes of them; or give the attribute its former type back",
		})
	}
	byText := func(a, b leftover) int { return strings.Compare(a.what, b.what) }
	for _, l := range slices.SortedFunc(maps.Keys(c.leftover), byText) {
		note := fmt.Sprintf("%s: %s (%s): kept, not served", file, l.what, count(c.leftover[l], "entry", "entries"))
		if l.remedy != "" {
			note += "; " + l.remedy
		}
		r.Notes = append(r.Notes, note)
	}
	return nil
}

func (c *dataCheck) entry(uid string, e *store.Entry) {
	t := c.site.Type(uid)
	locale, aside := schema.AsideOf(e.Locale)
	switch {
	case aside && t != nil:
		c.leftover[leftover{fmt.Sprintf("%s in the locale %q, which is not localized", uid, locale), "it comes back when the type is localized again"}]++
	case t != nil && !t.IsComponent() && !t.TakesLocale(e.Locale): // audit.CheckLocalization reports it
	case t == nil || t.IsComponent():
		c.leftover[leftover{"content of the type " + uid + ", which the site no longer has", renamingType(uid)}]++
		return
	case t.Localized && !c.site.Settings.HasLocale(e.Locale):
		c.leftover[leftover{what: fmt.Sprintf("%s in the locale %q, which the site no longer has", uid, e.Locale)}]++
	case !t.DraftAndPublish && e.Status == store.Draft:
		c.leftover[leftover{what: "drafts of " + uid + ", which no longer has any"}]++
	}
	c.fields(t, uid, e.Fields)
}

// dropping names the command that removes leftovers.
func dropping(what string) string { return "`quire migrate drop " + what + "` removes it" }

// renamingType names the commands for a type that was removed or renamed.
func renamingType(uid string) string {
	return "`quire migrate rename-type " + uid + " NEW` gives it to another one, " + dropping(uid)
}

// fields checks the values of an entry or of a component of the type t.
func (c *dataCheck) fields(t *schema.Type, at string, fields []store.Field) {
	for _, f := range fields {
		a := t.Attribute(f.Name)
		place := at + "." + f.Name
		switch {
		case a == nil:
			remedy := fmt.Sprintf("`quire migrate rename %s %s NEW` gives it to another attribute, %s", t.UID, f.Name, dropping(t.UID+" "+f.Name))
			c.leftover[leftover{place + ", which the schema no longer has", remedy}]++
		case !body.Fits(a, f.Value.Kind):
			c.wrong[fmt.Sprintf("%s is stored as %s", place, kindNames[f.Value.Kind])]++
		default:
			c.records(place, f.Value.Instances)
			c.edges(a, place, f.Value.Edges)
		}
	}
}

func (c *dataCheck) records(at string, records []store.Instance) {
	for _, r := range records {
		t := c.site.Type(r.Component)
		if t == nil || !t.IsComponent() {
			c.leftover[leftover{fmt.Sprintf("%s holds the component %s, which the site no longer has", at, r.Component), renamingType(r.Component)}]++
			continue
		}
		c.fields(t, at+"("+r.Component+")", r.Fields)
	}
}

func (c *dataCheck) edges(a *schema.Attribute, at string, edges []store.Edge) {
	if a.Relation == nil || !a.Relation.Morph() {
		return
	}
	for _, e := range edges {
		switch t := c.site.Type(e.Type); {
		case e.Type == "":
			c.wrong[at+" has a link that names no type"]++
		case t == nil || t.IsComponent():
			c.leftover[leftover{fmt.Sprintf("%s links to the type %q, which the site no longer has", at, e.Type), dropping(e.Type)}]++
		}
	}
}

var kindNames = [...]string{
	store.Null: "null", store.Bool: "a boolean", store.Int: "a whole number", store.Float: "a number",
	store.Text: "text", store.JSON: "JSON", store.Instances: "components", store.Edges: "links",
}

// checkRules reports published content that breaks a rule of the schemas that has become
// stricter since: it is served, and the next write must fulfil the rule.
func (r *Report) checkRules(ctx context.Context, file string, site *schema.Site, tx *store.Tx) error {
	unfit, err := migrate.Unfit(ctx, tx, site, migrate.Bounds{Examples: -1})
	for _, f := range unfit {
		if f.Kind == migrate.Failing {
			r.note("%s: %s.%s: %s in %s not valid by the schema: %s", file, f.Type, f.Path, count(f.Values, "value", "values"), count(f.Documents, "document", "documents"), f.Detail)
		}
	}
	return err
}
