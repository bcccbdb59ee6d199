package app

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quire/content/migrate"
	edits "quire/schema/edit"
	"quire/transfer/compare"
)

// A push adds to the schemas of a site what those of the other one have: types, components and
// attributes. Nothing says which of the two has changed what both have, so a difference there
// refuses the push.

// SchemasError lists differences of schemas that a push does not make.
type SchemasError struct{ Changes []compare.SchemaChange }

func (e *SchemasError) Error() string {
	var list []string
	for _, c := range e.Changes[:min(len(e.Changes), 10)] {
		what := map[compare.Kind]string{compare.Added: "only in the first", compare.Removed: "only in the second"}[c.Change]
		if c.Change == compare.Changed {
			what = "in the second " + strings.Replace(c.Detail, ", now ", ", and in the first ", 1)
		}
		list = append(list, strings.TrimSuffix(c.Type+"."+c.Attribute, ".")+" ("+what+")")
	}
	if more := len(e.Changes) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return "the schemas of the two sites differ where a push adds nothing: " + strings.Join(list, "; ") + ". Make them alike in git, and run `quire migrate` where values have to change"
}

// schemasToAdd returns what the schemas of another site have and those of this one lack, and the
// schema files that add it. The error is a *SchemasError if they differ in something else.
func (a *App) schemasToAdd(from pushedFrom) (added []compare.SchemaChange, files []edits.File, err error) {
	added, wrong := []compare.SchemaChange{}, []compare.SchemaChange(nil)
	folder, other := os.DirFS(a.at.Site), os.DirFS(from.Site)
	for _, c := range compare.Schemas(a.site, from.site) {
		t, own := from.site.Type(c.Type), a.site.Type(c.Type)
		switch {
		case t == nil: // a type that the push does not touch
			continue
		case c.Change != compare.Added || t.BuiltIn:
			wrong = append(wrong, c)
			continue
		}
		added = append(added, c)
		f := edits.File{Path: filepath.ToSlash(t.File)}
		if own != nil {
			f.Path = filepath.ToSlash(own.File)
			if f.Before, err = fs.ReadFile(folder, f.Path); err != nil {
				return nil, nil, err
			}
		}
		if slices.ContainsFunc(files, func(o edits.File) bool { return o.Path == f.Path }) {
			continue
		}
		if f.After, err = fs.ReadFile(other, filepath.ToSlash(t.File)); err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	if wrong != nil {
		return nil, nil, &SchemasError{wrong}
	}
	return added, files, edits.CheckPaths(a.at.Site, files)
}

// addSchemas writes schema files that only add something, and serves them, after a backup.
func (a *App) addSchemas(ctx context.Context, files []edits.File) error {
	a.folder.Lock()
	defer a.folder.Unlock()
	site, err := a.loadServableFrom(func(l Location) (fs.FS, error) { return edits.Over(os.DirFS(l.Site), files), nil })
	if err != nil {
		return err
	}
	e := migrate.Evolution{To: site}
	plan, err := a.PlanEvolution(ctx, e, planBounds)
	if err == nil {
		err = plan.Refused()
	}
	if err != nil {
		return err
	}
	saved, err := a.backUpBefore(ctx)
	if err != nil {
		return fmt.Errorf("no backup could be made, and nothing has changed: %w", err)
	}
	ctx = context.WithoutCancel(ctx) // it must be completed
	err = a.switchAfter(site, func() error {
		e.From = a.site
		_, err := evolveWith(ctx, e, a.db, a.at, files)
		return err
	})
	if err != nil {
		return err
	}
	a.noted(ctx, "schema.change", map[string]string{"backup": filepath.Base(saved), "files": paths(files)})
	return nil
}
