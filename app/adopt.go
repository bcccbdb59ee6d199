package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"quire/app/gitignore"
	"quire/app/inspect"
	"quire/schema"
	edits "quire/schema/edit"
	"quire/schema/source"
	"quire/server"
	"quire/store"
	"quire/transfer/archive"
	"quire/transfer/strapi"
)

// Adoption is what makes a site of a Strapi project. Planning one changes nothing.
type Adoption struct {
	Export string // path of an archive beside the project; empty for none

	Before []byte // of site.json; nil where there is none
	After  []byte // as it would be with the settings; equal to Before if it has them all

	Settings []strapi.Setting // that site.json gets
	Left     []Left           // settings that it does not get
	Ignore   *gitignore.Line  // for the data folder

	at      Location
	project *strapi.Project
	code    *codeReport
}

// Left is something of a project that does not get into site.json, and why.
type Left struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// ErrNoProject: a folder is not one of Strapi.
var ErrNoProject = errors.New("is not a Strapi project: no package.json there depends on @strapi/strapi, and there is no code below src/api")

// PlanAdoption finds out what site.json can have of the project in the site folder, and of an
// archive: the file of that path, which key deciphers, or none. The schemas must have no
// problems: the error is otherwise a *source.Problems.
func (l Location) PlanAdoption(ctx context.Context, export, key string) (*Adoption, error) {
	if strapi.Read(l.Site) == nil {
		return nil, fmt.Errorf("the folder %s %w", l.Site, ErrNoProject)
	}
	a := &Adoption{at: l, Export: export}
	var err error
	if a.Before, err = source.ReadFile(os.DirFS(l.Site), "site.json"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	found := &archive.SiteSettings{}
	if export != "" {
		if found, err = archive.ReadSiteSettings(ctx, export, key); err != nil {
			return nil, err
		}
	}
	if err := a.locales(found); err != nil {
		return nil, err
	}
	site, err := a.load()
	if err != nil {
		return nil, err
	}
	if err := a.evaluate(ctx, site); err != nil {
		return nil, err
	}
	a.roles(site, found.Roles)
	a.Settings = append(a.Settings, a.project.Settings...)
	if site, err = a.load(); err != nil {
		return nil, err
	}
	if err := errors.Join(server.CheckSite(site)...); err != nil {
		return nil, err
	}
	a.inDatabase(site)
	a.Ignore, err = gitignore.LineFor(l.Site, l.DataFolder())
	return a, err
}

// evaluate loads the code of the project and evaluates its settings.
func (a *Adoption) evaluate(ctx context.Context, site *schema.Site) (err error) {
	if a.code, err = a.at.inspectCode(ctx, site); err != nil {
		return err
	}
	for _, p := range a.code.problems {
		place := p.File
		if p.Place != "" {
			place += ": " + p.Place
		}
		a.left("code", "%s: %s. The site cannot be served until that is corrected", place, p.Message)
	}
	switch {
	case a.code.off != "":
		a.left("config", "%s, so its settings cannot be evaluated", a.code.off)
	case a.code.unevaluated != "":
		a.left("config", "%s", a.code.unevaluated)
	}
	a.project, err = a.code.evaluated(a.at.Site)
	return err
}

// Remaining returns what the code of the project does with a text of site.json: the files of which
// it runs all or a part, and those that Quire does not run.
func (a *Adoption) Remaining(siteJSON []byte) (files []inspect.CodeFile, ignored []strapi.Ignored) {
	ignored = a.project.Ignored(siteJSON, a.code.off == "")
	return a.code.filesBeside(ignored), ignored
}

func (a *Adoption) file() string { return filepath.Join(a.at.Site, "site.json") }

// left notes what site.json does not get.
func (a *Adoption) left(what, format string, args ...any) {
	a.Left = append(a.Left, Left{What: what, Why: fmt.Sprintf(format, args...)})
}

// load loads the site as it would be with the settings so far.
func (a *Adoption) load() (*schema.Site, error) {
	list := make([]edits.Setting, len(a.Settings))
	for i, s := range a.Settings {
		list[i] = edits.Setting{Path: s.Path, Value: s.Value}
	}
	var err error
	if a.After, err = edits.Set(a.Before, list); err != nil {
		return nil, fmt.Errorf("%s: %w", a.file(), err)
	}
	return schema.Load(edits.Over(os.DirFS(a.at.Site), []edits.File{{Path: "site.json", After: a.After}}))
}

// WriteSite writes site.json, in one step, and reports whether that was needed. A file that
// is there is replaced only with force.
func (a *Adoption) WriteSite(force bool) (written bool, err error) {
	same := string(a.Before) == string(a.After)
	if same || a.Before != nil && !force {
		return false, nil
	}
	if err := a.replace(a.After); err != nil {
		return false, err
	}
	return true, nil
}

// TakeBack makes site.json what it was before WriteSite wrote it. One that somebody has
// changed since then stays.
func (a *Adoption) TakeBack() error {
	now, err := source.ReadFile(os.DirFS(a.at.Site), "site.json")
	switch {
	case err != nil || string(now) != string(a.After):
		return err
	case a.Before == nil:
		return os.Remove(a.file())
	}
	return a.replace(a.Before)
}

// replace puts a text in the place of site.json, in one step.
func (a *Adoption) replace(text []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(a.file()); err == nil {
		mode = info.Mode().Perm()
	}
	return store.ReplaceFile(a.file(), text, mode)
}
