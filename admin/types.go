package admin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path"

	"quire/auth/people"
	"quire/content/migrate"
	"quire/schema"
	"quire/schema/edit"
	"quire/schema/source"
	"quire/server"
)

// The content types, components and locales of the site, for accounts that may see and change
// them.

// TypeEditor changes the content types of a running site, with its content.
type TypeEditor interface {
	// MayEdit reports whether content types may be changed at all.
	MayEdit(*schema.Site) bool
	// Definitions returns the definitions in the site folder. If the folder has problems,
	// the error is a *source.Problems.
	Definitions() ([]edit.Definition, error)
	// Plan says what a change does, and changes nothing. The plan is nil if the draft has
	// problems.
	Plan(context.Context, edit.Change) (*edit.Draft, *migrate.Plan, error)
	// Apply carries out the change whose plan has the fingerprint, and returns the path of
	// the backup that was made first.
	Apply(ctx context.Context, c edit.Change, fingerprint string) (saved string, err error)
}

func typeRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/types", Right: people.Schemas, handler: listTypes,
			summary: "The files of the content types and components, and whether they may be changed", out: typesOf{}},
		{Method: http.MethodPost, Path: "/types/plan", Right: people.Schemas, Quiet: true, handler: planTypes,
			summary: "What a change of content types and locales would do to the files and the content", in: edit.Change{}, out: typesPlan{}},
		{Method: http.MethodPost, Path: "/types/apply", Right: people.Schemas, handler: applyTypes,
			summary: "Carry out a change of content types and locales that was planned, after a backup", in: typesApply{}, out: typesApplied{}},
	}
}

// typesBytes limits the body of a request with a change of types.
const typesBytes = 1 << 20

type typesOf struct {
	Editable bool            `json:"editable"` // set by site.json, or by the way in which the site is served
	Types    []definedOf     `json:"types"`
	Problems []typeProblemOf `json:"problems"` // of the site folder; it cannot be changed until they are fixed
}

// definedOf is the definition of one content type or component in its file.
type definedOf struct {
	UID        string          `json:"uid"`
	Kind       string          `json:"kind"` // collectionType, singleType or component
	File       string          `json:"file"`
	Definition json.RawMessage `json:"definition"` // the content of the file
}

// typeProblemOf is one problem of a type.
type typeProblemOf struct {
	UID       string `json:"uid"`       // empty if it is not about a type
	Attribute string `json:"attribute"` // empty if it is not about an attribute
	Key       string `json:"key"`       // of the attribute or, without one, of the file
	File      string `json:"file"`
	Message   string `json:"message"`
	Fix       string `json:"fix"`
}

// typesPlan is what a change of types does.
type typesPlan struct {
	Fingerprint string           `json:"fingerprint"` // empty if it cannot be carried out
	Problems    []typeProblemOf  `json:"problems"`
	Files       []changedFile    `json:"files"`
	Mentions    []edit.Mention   `json:"mentions"` // changed and removed names in site.json
	Effects     []migrate.Effect `json:"effects"`
	Entries     int              `json:"entries"` // number of entries read
	Partial     bool             `json:"partial"` // there are more
	Blocked     []string         `json:"blocked"` // what refuses it: settings, if mentions are removed, or a kind of effects: unconvertible, cut, clashing, stranded
}

// changedFile is one file that a change writes, moves or removes.
type changedFile struct {
	Path  string      `json:"path"`
	From  string      `json:"from"`  // its former path; empty if it stays
	State string      `json:"state"` // created, changed, moved or removed
	Lines []edit.Line `json:"lines"`
}

type typesApply struct {
	Change      edit.Change `json:"change"`
	Fingerprint string      `json:"fingerprint"`
}

type typesApplied struct {
	Backup string `json:"backup"` // name of the file
}

func listTypes(x *request) error {
	editor := x.admin.Types
	list, err := editor.Definitions()
	out := typesOf{Editable: editor.MayEdit(x.admin.Server.Site(x.http)), Types: []definedOf{}, Problems: []typeProblemOf{}}
	var wrong *source.Problems
	switch {
	case errors.As(err, &wrong):
		for _, p := range wrong.List {
			out.Problems = append(out.Problems, typeProblemOf{Key: p.Place, File: p.File, Message: p.Message, Fix: p.Fix})
		}
	case err != nil:
		return err
	}
	for _, d := range list {
		out.Types = append(out.Types, definedOf{d.UID, d.Kind, d.File, d.Text})
	}
	return x.data(out)
}

// mayEdit refuses changes of types if they are not allowed.
func (x *request) mayEdit() error {
	if x.admin.Types.MayEdit(x.admin.Server.Site(x.http)) {
		return nil
	}
	return server.Problem(http.StatusForbidden, "ForbiddenError", "Content types and locales are not changed here: site.json does not allow it with admin.schemaEditing", nil)
}

// readChange reads a body that may be larger than a form.
func (x *request) readChange(form any) error {
	if err := x.mayEdit(); err != nil {
		return err
	}
	text, err := x.admin.Server.ReadJSON(x.http, typesBytes)
	if err != nil {
		return err
	}
	return decode(text, form)
}

func planTypes(x *request) error {
	var c edit.Change
	if err := x.readChange(&c); err != nil {
		return err
	}
	draft, plan, err := x.admin.Types.Plan(x.http.Context(), c)
	if err != nil {
		return explainTypes(err)
	}
	out := typesPlan{Fingerprint: draft.Fingerprint, Problems: []typeProblemOf{}, Files: []changedFile{}, Mentions: []edit.Mention{}, Effects: []migrate.Effect{}, Blocked: []string{}}
	for _, p := range draft.Problems {
		out.Problems = append(out.Problems, typeProblemOf{p.Type, p.Attribute, p.Key, p.File, p.Message, p.Fix})
	}
	if plan == nil {
		out.Fingerprint = ""
		return x.data(out)
	}
	for _, f := range draft.Files {
		out.Files = append(out.Files, showFile(f, draft.Mentions))
	}
	out.Mentions = append(out.Mentions, draft.Mentions...)
	if draft.Unagreed {
		out.Blocked = append(out.Blocked, "settings")
	}
	out.Entries, out.Partial = plan.Entries, plan.Partial
	if list := x.withoutSecrets(draft, plan.Effects); list != nil {
		out.Effects = list
	}
	for _, kind := range []migrate.EffectKind{migrate.Unconvertible, migrate.Cut, migrate.Clashing, migrate.Stranded} {
		if agreed := c.Lossy && (kind == migrate.Unconvertible || kind == migrate.Cut); len(plan.Of(kind)) > 0 && !agreed {
			out.Blocked = append(out.Blocked, string(kind))
		}
	}
	if len(out.Blocked) > 0 {
		out.Fingerprint = ""
	}
	return x.data(out)
}

// showFile shows a file line by line. Of site.json, which may contain secrets, it shows one
// line for each name.
func showFile(f edit.File, mentions []edit.Mention) changedFile {
	if f.Path == edit.SettingsFile {
		shown := changedFile{Path: f.Path, State: "changed"}
		for _, one := range mentions {
			shown.Lines = append(shown.Lines, edit.Line{Op: "-", Text: one.Place + ": " + one.Was})
			if one.Replacement != "" {
				shown.Lines = append(shown.Lines, edit.Line{Op: "+", Text: one.Place + ": " + one.Replacement})
			}
		}
		return shown // locales are in the change itself
	}
	state := "changed"
	switch {
	case f.After == nil:
		state = "removed"
	case f.From != "":
		state = "moved"
	case f.Before == nil:
		state = "created"
	}
	return changedFile{f.Path, f.From, state, edit.Difference(f.Before, f.After)}
}

// withoutSecrets leaves out the examples of types that the account does not see completely:
// it learns how many documents are affected, and not their content.
func (x *request) withoutSecrets(draft *edit.Draft, effects []migrate.Effect) []migrate.Effect {
	site, caller := x.admin.Server.Site(x.http), x.session.Identity().Caller
	sees := func(uid string) bool {
		t := site.Type(uid)
		return t != nil && caller.Allows(t, schema.Find) && !caller.Sight(t).Limited() && caller.Filter(t) == nil &&
			(!t.DraftAndPublish || caller.Allows(t, schema.ReadDraft))
	}
	for i, effect := range effects {
		// A name may be the new name of one type and the former name of another: both
		// count.
		whole := site.Type(effect.Type) == nil || sees(effect.Type)
		known := site.Type(effect.Type) != nil
		for _, r := range draft.Types {
			if r.New == effect.Type {
				known, whole = true, whole && sees(r.Old)
			}
		}
		if !known || !whole {
			effects[i].Examples = nil
		}
	}
	return effects
}

func applyTypes(x *request) error {
	var form typesApply
	if err := x.readChange(&form); err != nil {
		return err
	}
	saved, err := x.admin.Types.Apply(x.http.Context(), form.Change, form.Fingerprint)
	if errors.As(err, new(*migrate.MigrationError)) && !isOutdated(err) {
		return invalid("Nothing was changed, as the content or the files cannot follow; the log of the server says why") // it may quote content
	}
	if err != nil {
		return explainTypes(err)
	}
	return x.data(typesApplied{path.Base(saved)})
}

// isOutdated reports whether a plan must be made again.
func isOutdated(err error) bool {
	return errors.Is(err, edit.ErrTouched) || errors.Is(err, migrate.ErrOutdated)
}

// explainTypes translates an error of a change for a client.
func explainTypes(err error) error {
	var link *edit.LinkError
	var refused *migrate.MigrationError
	switch {
	case isOutdated(err):
		return server.Problem(http.StatusConflict, "ConflictError", "The site or its content has changed since the plan was made; review the changes again", nil)
	case errors.As(err, &link):
		return invalid(link.Error())
	case errors.As(err, &refused):
		return invalid("The content cannot follow this change: " + refused.Problem)
	}
	return err
}
