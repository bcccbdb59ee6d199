package app

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"

	"quire/app/inspect"
	"quire/schema"
	"quire/schema/source"
	"quire/server"
	"quire/transfer/strapi"
)

// codeReport is what loading the code of a project finds out, without serving it.
type codeReport struct {
	off      string // why the code does not run; empty if it does
	files    []inspect.CodeFile
	problems []source.Problem // the code cannot be loaded until they are corrected
	routes   CodeRoutes
	gone     map[string]bool // routes of content types that the code replaces or leaves out

	settings    json.RawMessage // what config says
	environment string          // for which it was evaluated
	unevaluated string          // why it is not known; empty if there is none
}

// CodeRoute is a route of a project's code, as commands list it.
type CodeRoute struct {
	Method, Path string
	Open         bool
	Scope        []string // the permissions that a caller needs, all of them
	File         string
	Handler      string // "article.longest"; "a function" for one without a name
}

// CodeRoutes are those of a project's own code.
type CodeRoutes []CodeRoute

// operations are the routes for the description of the API.
func (list CodeRoutes) operations() (all []server.CodeOperation) {
	for _, r := range list {
		all = append(all, server.CodeOperation{Method: r.Method, Path: r.Path, Handler: r.Handler, Open: r.Open, Scope: r.Scope})
	}
	return all
}

// OpenAPI describes every route of the site, see [server.OpenAPI].
func (l Location) OpenAPI(ctx context.Context) ([]byte, error) {
	site, routes, coded, err := l.Routes(ctx)
	if err != nil {
		return nil, err
	}
	return server.OpenAPI(site, routes, coded.operations()), nil
}

// Routes returns the site with its routes: those of Quire, without those that the code of the
// project replaces or leaves out, and those of the code. Code that cannot be loaded has none.
func (l Location) Routes(ctx context.Context) (*schema.Site, []server.Route, CodeRoutes, error) {
	site, err := l.Load()
	if err != nil {
		return nil, nil, nil, err
	}
	found, err := l.inspectCode(ctx, site)
	if err != nil {
		return nil, nil, nil, err
	}
	routes := slices.DeleteFunc(server.Routes(site), func(r server.Route) bool { return found.gone[r.Method+" "+r.Path] })
	return site, routes, found.routes, nil
}

// evaluated reads the project in a site folder, with the settings of its config. It returns
// nil if the folder is not one of Strapi.
func (r *codeReport) evaluated(site string) (*strapi.Project, error) {
	p := strapi.Read(site)
	if p == nil || r.off != "" || r.unevaluated != "" {
		return p, nil
	}
	return p, p.Evaluate(r.settings, r.environment)
}

// filesBeside returns what the code report says of the files that a list does not have.
func (r *codeReport) filesBeside(ignored []strapi.Ignored) []inspect.CodeFile {
	return slices.DeleteFunc(slices.Clone(r.files), func(f inspect.CodeFile) bool {
		return slices.ContainsFunc(ignored, func(one strapi.Ignored) bool { return one.File == f.File })
	})
}

// addTo adds to a check which files of the project run, and what keeps its code from running.
func (r *codeReport) addTo(report *inspect.Report, site string) error {
	report.Problems = append(report.Problems, r.problems...)
	if r.unevaluated != "" && len(r.problems) == 0 {
		report.Notes = append(report.Notes, r.unevaluated)
	}
	p, err := r.evaluated(site)
	if err != nil {
		return err
	}
	if p != nil {
		siteJSON, err := source.ReadFile(os.DirFS(site), "site.json")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		report.Ignored = p.Ignored(siteJSON, r.off == "")
	}
	report.Code = r.filesBeside(report.Ignored)
	return nil
}
