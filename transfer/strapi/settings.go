package strapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"quire/transfer/strapi/script"
)

// Setting is a value in the code of a project for something that site.json can have.
type Setting struct {
	Path  []string        // in site.json
	Value json.RawMessage // a literal of the code
	Files []string        // files with it

	// Generated is set where Strapi gives every new project this value.
	Generated bool
}

// Guarded is an action of a content type, for example "create", for which the project has
// no route, or which its code may refuse or change. A role with the permission may do it in
// Strapi only within these limits.
// An empty Action stands for all actions of a plugin, whose UID is then such as
// "plugin::upload".
type Guarded struct{ UID, Action, File string }

// sayingSettings are the paths of files whose code is read for settings.
var sayingSettings = regexp.MustCompile(`^(?:src/api/[^/]+/(?:routes|middlewares|controllers)/|src/middlewares/|config/)`)

// reading is the result of reading the code of a project.
type reading struct {
	p        *project
	settings []Setting
	guarded  []Guarded
	known    map[Guarded]bool // those in guarded

	graphqlNamed bool // the settings of plugins name that of GraphQL

	// understood are the files that have nothing beyond their settings.
	understood map[string]bool
	why        map[string]string // what is left of a file
}

// readCode reads the files of the project in the order of their names.
func (p *project) readCode() *reading {
	r := &reading{p: p, known: map[Guarded]bool{}, understood: map[string]bool{}, why: map[string]string{}}
	middlewares := r.middlewares()
	for _, name := range slices.Sorted(maps.Keys(p.texts)) {
		switch {
		case strings.HasPrefix(name, "config/"):
			r.config(name)
		case routesFile.MatchString(name):
			r.router(name, middlewares)
		case controllerFile.MatchString(name):
			r.controller(name)
		}
	}
	if r.p.graphql && !r.graphqlNamed {
		r.settings = append(r.settings, Setting{Path: []string{"graphql", "enabled"}, Value: []byte("true"), Files: []string{"package.json"}})
	}
	r.extensions()
	r.leaveUnused(middlewares)
	r.fit()
	return r
}

// parse reads a file of the project.
func (r *reading) parse(name string) []script.Statement { return script.Parse(r.p.texts[name]) }

// left records what is left of a file.
func (r *reading) left(name, format string, args ...any) {
	if r.why[name] == "" {
		r.why[name] = fmt.Sprintf(format, args...)
	}
}

// dropCovered drops the files whose whole effect is in site.json. For the others it records
// what is left.
func (p *project) dropCovered(r *reading) {
	has := p.siteSettings()
	missing := map[string]string{} // the path of a setting that site.json does not have, by file
	for _, s := range r.settings {
		if !s.Generated && !has(s.Path) {
			for _, name := range s.Files {
				missing[name] = strings.Join(s.Path, ".")
			}
		}
	}
	kept := p.found[:0]
	for _, f := range p.found {
		switch {
		case r.understood[f.File] && missing[f.File] == "":
			continue
		case r.understood[f.File]:
			f.Why = "`quire adopt` writes " + missing[f.File] + " to site.json"
		default:
			f.Why = r.why[f.File]
		}
		kept = append(kept, f)
	}
	p.found = kept
}

// siteSettings reports whether the site.json of the folder has something at a path.
func (p *project) siteSettings() func(path []string) bool {
	text, err := string(p.siteJSON), error(nil)
	if p.siteJSON == nil {
		text, err = p.read("site.json", maxManifest)
	}
	if err != nil {
		return func([]string) bool { return false }
	}
	var site any
	if json.Unmarshal([]byte(text), &site) != nil {
		return func([]string) bool { return false }
	}
	return func(path []string) bool {
		at := site
		for _, key := range path {
			members, _ := at.(map[string]any)
			inner, there := members[key]
			if !there {
				return false
			}
			at = inner
		}
		return true
	}
}
