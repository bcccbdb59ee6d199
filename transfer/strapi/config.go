package strapi

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"quire/transfer/strapi/script"
)

var (
	configFile = regexp.MustCompile(`^config/(?:env/([^/]+)/)?(api|middlewares|plugins|admin|server|database)\.[cm]?[jt]s$`)

	// configRules are the known members of each file, by their paths in it.
	configRules = map[string]map[string]rule{"api": apiRules, "plugins": pluginRules, "admin": adminRules, "server": serverRules}
)

// configuration is one file of settings.
type configuration struct {
	*reading
	file  string
	rules map[string]rule
	over  []string // what is left, with lines
}

// rule handles a value of a file, and reports false for a value that it does not know.
type rule func(c *configuration, v script.Value) bool

// config reads a file of settings for all environments. For a file of a single environment
// it only finds out whether it changes anything.
func (r *reading) config(name string) {
	part := configFile.FindStringSubmatch(name)
	if part == nil {
		return
	}
	if part[2] == "database" {
		r.understood[name] = isGeneratedDatabase(r.p.texts[name])
		return
	}
	c := &configuration{reading: r, file: name, rules: configRules[part[2]]}
	before := len(r.settings)
	v, ok := settingsOf(r.parse(name))
	switch {
	case !ok:
		c.over = append(c.over, (&script.LiteralError{Line: max(v.Line, 1)}).Error())
	case part[2] == "middlewares":
		c.middlewareList(v)
	default:
		c.walk(v, "")
	}
	if part[1] != "" && len(r.settings) > before {
		r.settings = r.settings[:before]
		c.over = append(c.over, "settings of one environment")
	}
	r.understood[name] = len(c.over) == 0
	if len(c.over) > 0 {
		r.left(name, "left: %s", strings.Join(c.over[:min(len(c.over), mostLeft)], ", "))
	}
}

// mostLeft is the maximum number of members of a file that are named.
const mostLeft = 8

// settingsOf returns what a file exports: an object or a list, or the result of a function
// that only returns one.
func settingsOf(file []script.Statement) (v script.Value, ok bool) {
	v, scope := script.Exported(file)
	for _, s := range file {
		if s.Kind != script.Constant && s.Kind != script.Export {
			return script.Value{Line: s.Line}, false
		}
	}
	if v.Kind == script.Function {
		scope = script.NewScope(v.Func.Body, scope)
		body := v.Func.Body
		for i, s := range body {
			if last := i == len(body)-1; last != (s.Kind == script.Return) || !last && s.Kind != script.Constant {
				return script.Value{Line: s.Line}, false
			}
		}
		if len(body) > 0 {
			v = body[len(body)-1].Value
		}
	}
	v = scope.Resolve(v)
	return v, v.Kind == script.Object || v.Kind == script.List
}

// walk applies the rules to an object and everything below it.
func (c *configuration) walk(v script.Value, at string) {
	if rule := c.rules[at]; rule != nil && rule(c, v) {
		return
	}
	if v.Kind != script.Object || v.At("enabled").Text == "true" && !c.knows(at) {
		if v.Kind != script.Undefined {
			c.leave(at, v)
		}
		return
	}
	if v.At("enabled").Text == "false" {
		return
	}
	for i, item := range v.Items {
		if item.Spread {
			c.leave(at, item)
			continue
		}
		c.walk(item, strings.TrimPrefix(at+"."+v.Keys[i], "."))
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
func (c *configuration) leave(at string, v script.Value) {
	if at == "" {
		at = "a part"
	}
	c.over = append(c.over, fmt.Sprintf("%s (line %d)", at, v.Line))
}

// set records a setting.
func (c *configuration) set(value string, path ...string) {
	c.settings = append(c.settings, Setting{Path: path, Value: []byte(value), Files: []string{c.file}})
}

// whole returns a whole number of at least 1.
func whole(v script.Value) (n int64, ok bool) {
	n, err := strconv.ParseInt(v.Text, 10, 53)
	return n, v.Kind == script.Number && err == nil && n >= 1
}

var size = regexp.MustCompile(`^(?i)([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*(b|kb|mb|gb)?$`)

// bytesOf reads a size, for example 1024 or "10mb".
func bytesOf(v script.Value) (n int64, ok bool) {
	if v.Kind == script.Number {
		return whole(v)
	}
	part := size.FindStringSubmatch(v.Text)
	if v.Kind != script.Text || part == nil {
		return 0, false
	}
	number, err := strconv.ParseFloat(part[1], 64)
	exponent := slices.Index([]string{"b", "kb", "mb", "gb"}, strings.ToLower(part[2]))
	n = int64(number * float64(int64(1)<<(10*max(exponent, 0))))
	return n, err == nil && n >= 1
}
