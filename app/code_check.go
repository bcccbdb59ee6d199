//go:build !nocode

package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"quire/app/inspect"
	"quire/code"
	"quire/code/engine"
	"quire/schema"
	"quire/schema/source"
	"quire/server"
)

// codeOptions are those of the code of a site; the caller adds the host.
func (l Location) codeOptions(site *schema.Site) code.Options {
	return code.Options{
		Folder: l.Site, Site: site, Closed: l.dataInSite(), Env: l.environment(), Version: Version(),
		Memory: site.Settings.Code.Memory << 20, Network: site.Settings.Code.CheckAddress,
	}
}

// environment is the process.env of the code: the variables of the program but for its own,
// and those of the file .env in the site folder that are not set.
func (l Location) environment() map[string]string {
	env := map[string]string{}
	if text, err := os.ReadFile(l.Site + "/.env"); err == nil {
		for line := range strings.Lines(string(text)) {
			name, value, found := strings.Cut(strings.TrimSpace(line), "=")
			if found && !strings.HasPrefix(name, "#") {
				env[strings.TrimSpace(strings.TrimPrefix(name, "export "))] = strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	}
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); !strings.HasPrefix(name, "QUIRE_") {
			env[name] = value
		}
	}
	return env
}

// requireCode returns an error if the code of a project cannot be loaded for a site.
func (l Location) requireCode(site *schema.Site) error {
	if !site.Settings.Code.Enabled {
		return nil
	}
	p, err := code.Load(l.checkedOptions(site))
	if errors.Is(err, code.ErrNoCode) {
		return nil
	}
	if err == nil {
		p.Close()
	}
	return err
}

// checkedOptions are for code that is only loaded, without content.
func (l Location) checkedOptions(site *schema.Site) code.Options {
	o := l.codeOptions(site)
	o.Host = func(context.Context, engine.HostCall) ([]byte, error) {
		return nil, errors.New("there is no content while the code is checked")
	}
	return o
}

// inspectCode loads the code of a project, without its bootstrap and without content, and
// finds out what of it runs.
func (l Location) inspectCode(ctx context.Context, site *schema.Site) (*codeReport, error) {
	if !site.Settings.Code.Enabled {
		return &codeReport{off: "site.json switches the code of the project off"}, nil
	}
	o := l.checkedOptions(site)
	r := &codeReport{environment: o.Env["NODE_ENV"]}
	if r.environment == "" {
		r.environment = "production"
	}
	program, err := code.Load(o)
	var wrong *code.Error
	switch {
	case errors.Is(err, code.ErrNoCode):
	case errors.As(err, &wrong):
		r.add(wrong.Reports)
		for _, p := range wrong.Problems {
			r.problems = append(r.problems, problemOf(p))
		}
	case err != nil:
		return nil, err
	default:
		r.add(program.Reports())
		r.routes, r.gone = codeRoutes(program), goneRoutes(site, program)
		program.Close()
	}
	r.settings, err = code.Settings(ctx, o)
	if errors.Is(err, code.ErrNoCode) {
		r.settings = json.RawMessage(`{}`)
		return r, nil
	}
	if err != nil {
		r.unevaluated = fmt.Sprintf("the settings cannot be evaluated: %v", err)
	}
	return r, ctx.Err()
}

func (r *codeReport) add(reports []code.Report) {
	for _, one := range reports {
		r.files = append(r.files, inspect.CodeFile{File: one.File, Verdict: string(one.Verdict), Why: one.Why})
	}
}

func problemOf(p engine.Problem) source.Problem {
	of := source.Problem{File: p.File, Message: p.Message, Fix: "correct it; until then the site cannot be served"}
	if name, missing := strings.CutPrefix(p.Message, `Could not resolve "`); missing && !strings.HasPrefix(name, ".") {
		of.Fix = "install the packages of the project, with npm install, or correct the name; until then the site cannot be served"
	}
	if p.File == "" {
		of.File = "src"
	}
	if p.Line > 0 {
		of.Place = fmt.Sprintf("line %d", p.Line)
	}
	return of
}

// codeRoutes lists the routes that the code answers.
func codeRoutes(p *code.Program) CodeRoutes {
	var list CodeRoutes
	for _, r := range p.Routes() {
		if !r.Core {
			list = append(list, CodeRoute{Method: r.Method, Path: r.Path, Open: !r.Auth, Scope: r.Scope, File: r.File, Handler: r.Handler})
		}
	}
	return list
}

// goneRoutes are the routes of content types that the code replaces or has left out, as
// "GET /api/notes/:documentId".
func goneRoutes(site *schema.Site, p *code.Program) map[string]bool {
	gone := map[string]bool{}
	for _, r := range server.Routes(site) {
		_, last, below := strings.Cut(strings.TrimPrefix(r.Path, "/api/"), "/")
		if !p.OwnsRoutes(r.Permission.UID) || below && last != ":documentId" {
			continue
		}
		own, _, err := p.Match(r.Method, strings.Replace(r.Path, ":documentId", "x", 1))
		gone[r.Method+" "+r.Path] = err != nil || own == nil || !own.Core
	}
	return gone
}

// watchedCode writes what changes when the code of the project does: the sizes and times of its
// files.
func (l Location) watchedCode(w io.Writer) {
	folder := os.DirFS(l.Site)
	add := func(name string) {
		if info, err := fs.Stat(folder, name); err == nil {
			fmt.Fprintf(w, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	add(".env")
	add("package.json")
	for _, top := range []string{"config", "src"} {
		_ = fs.WalkDir(folder, top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case d.IsDir() && (d.Name() == "node_modules" || name == "src/admin"):
				return fs.SkipDir
			case !d.IsDir() && (top == "config" || path.Ext(name) != ".json"):
				add(name)
			}
			return nil
		})
	}
}

// dataInSite is the path of the data folder in the site folder; empty if it is elsewhere.
func (l Location) dataInSite() string {
	inside, err := filepath.Rel(l.Site, l.DataFolder())
	if err != nil || !filepath.IsLocal(inside) {
		return ""
	}
	return inside
}
