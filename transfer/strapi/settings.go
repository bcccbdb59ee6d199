package strapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Setting is a value in config of a project for something that site.json can have.
type Setting struct {
	Path  []string        // in site.json
	Value json.RawMessage // as it was evaluated
	Files []string        // files with it

	// Generated is set where Strapi gives every new project this value.
	Generated bool
}

// Evaluate takes what the files of config say, by their names: "api", "middlewares",
// "plugins", "admin" and "server", as JSON; and the environment for which they were
// evaluated. A function is the text "[function]" in it.
func (p *Project) Evaluate(values json.RawMessage, environment string) error {
	var files map[string]any
	if err := json.Unmarshal(values, &files); err != nil {
		return err
	}
	own := ownPlugins(files["plugins"])
	for _, name := range []string{"api", "middlewares", "plugins", "admin", "server"} {
		here, others := p.configFiles(name, environment)
		c := &configuration{Project: p, files: here, rules: configRules[name], own: own}
		switch value := files[name]; {
		case len(here) == 0:
		case name == "middlewares":
			c.middlewareList(value)
		default:
			c.walk(value, "")
		}
		for _, file := range here {
			p.understood[file] = len(c.over) == 0
			if len(c.over) > 0 {
				p.why[file] = "left: " + strings.Join(c.over[:min(len(c.over), mostLeft)], ", ")
			}
		}
		for _, file := range others {
			p.why[file] = "settings of another environment than " + environment
		}
	}
	if p.graphql && !p.graphqlNamed {
		p.Settings = append(p.Settings, Setting{Path: []string{"graphql", "enabled"}, Value: []byte("true"), Files: []string{"package.json"}})
	}
	p.fit()
	return nil
}

// mostLeft is the maximum number of members of a file that are named.
const mostLeft = 8

var configFile = regexp.MustCompile(`^config/(?:env/([^/]+)/)?([^/]+?)\.(?:[cm]?[jt]s|json)$`)

// configFiles are the files of config with a name: those of an environment, and those of
// others.
func (p *Project) configFiles(name, environment string) (here, others []string) {
	for _, f := range p.found {
		part := configFile.FindStringSubmatch(f.File)
		switch {
		case part == nil || part[2] != name:
		case part[1] == "" || part[1] == environment:
			here = append(here, f.File)
		default:
			others = append(others, f.File)
		}
	}
	return here, others
}

// deciding are files that decide what requests may do.
var deciding = regexp.MustCompile(`^src/(?:api/([^/]+)/(?:routes|controllers|policies|middlewares)/|extensions/([a-z0-9-]+)/strapi-server[./])`)

// Guarded returns the APIs and plugins whose requests the code of the project decides about,
// such as "api::boat" and "plugin::upload", each with a file of it. Where the code does not
// run, a role may do less in Strapi than its permissions say.
func (p *Project) Guarded() map[string]string {
	guarded := map[string]string{}
	for _, f := range p.found {
		part := deciding.FindStringSubmatch(f.File)
		switch {
		case part == nil:
		case part[1] != "":
			guarded["api::"+part[1]] = f.File
		default:
			guarded["plugin::"+part[2]] = f.File
		}
	}
	return guarded
}

// Ignored lists the files of the project that Quire does not run, grouped by kind: without
// those that Strapi generates and that change nothing, and without those whose effect
// site.json has. Quire runs the code of the project only with runs.
func (p *Project) Ignored(siteJSON []byte, runs bool) []Ignored {
	missing := p.missingIn(siteJSON)
	var list []Ignored
	for _, f := range p.found {
		one := f.Ignored
		one.Why = p.why[f.File]
		switch understood := p.understood[f.File]; {
		case understood && missing[f.File] == "":
			continue
		case understood:
			one.Why = "`quire adopt` writes " + missing[f.File] + " to site.json"
		case runs && f.kind < len(kinds) && kinds[f.kind].runs:
			continue
		}
		list = append(list, one)
	}
	return list
}

// missingIn returns for each file the path of a setting that a site.json does not have.
func (p *Project) missingIn(siteJSON []byte) map[string]string {
	var site any
	_ = json.Unmarshal(siteJSON, &site) // a broken one has nothing
	missing := map[string]string{}
	for _, s := range p.Settings {
		if s.Generated || has(site, s.Path) {
			continue
		}
		for _, name := range s.Files {
			missing[name] = strings.Join(s.Path, ".")
		}
	}
	return missing
}

// has reports whether there is something at a path.
func has(at any, path []string) bool {
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

// configuration is what the files of config with one name say.
type configuration struct {
	*Project
	files []string
	rules map[string]rule
	own   map[string]bool // plugins of the project, which its code runs
	over  []string        // what is left
}

// ownPlugins returns the plugins that are in folders of the project.
func ownPlugins(declared any) map[string]bool {
	own := map[string]bool{}
	list, _ := declared.(map[string]any)
	for name, one := range list {
		members, _ := one.(map[string]any)
		folder, _ := members["resolve"].(string)
		own[name] = strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "/")
	}
	return own
}

// rule handles a value, and reports false for a value that it does not know.
type rule func(c *configuration, v any) bool

// walk applies the rules to an object and everything below it.
func (c *configuration) walk(v any, at string) {
	if rule := c.rules[at]; rule != nil && rule(c, v) || c.own[at] {
		return
	}
	members, ok := v.(map[string]any)
	switch {
	case v == nil, members["enabled"] == false:
		return
	case !ok, members["enabled"] == true && !c.knows(at):
		c.leave(at)
		return
	}
	for _, key := range sortedKeys(members) {
		c.walk(members[key], strings.TrimPrefix(at+"."+key, "."))
	}
}

// knows reports whether there are rules for what is below a path.
func (c *configuration) knows(at string) bool {
	for path := range c.rules {
		if strings.HasPrefix(path, at+".") || at == "" {
			return true
		}
	}
	return false
}

// leave records a member that site.json cannot have.
func (c *configuration) leave(at string) {
	if at == "" {
		at = "a part"
	}
	if !slices.Contains(c.over, at) {
		c.over = append(c.over, at)
	}
}

// set records a setting.
func (c *configuration) set(value any, path ...string) {
	text, err := json.Marshal(value)
	if err != nil {
		c.leave(fmt.Sprint(path))
		return
	}
	c.Settings = append(c.Settings, Setting{Path: path, Value: text, Files: c.files})
}
