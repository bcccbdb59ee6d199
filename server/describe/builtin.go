package describe

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"quire/schema"
	"quire/schema/settings"
)

// What is the same for every site is in builtin.api.
var (
	//go:embed builtin.api
	builtinFile string

	// builtin returns the lines of each entry of the file: of an operation by its method and
	// path, of "type Name" and "parameter name".
	builtin = sync.OnceValue(func() map[string][]string {
		entries := map[string][]string{}
		key := ""
		for line := range strings.Lines(strings.ReplaceAll(builtinFile, "\n    ", " ")) {
			line = strings.TrimSuffix(line, "\n")
			kind, rest, _ := strings.Cut(line, " ")
			switch name, text, _ := strings.Cut(rest, " "); {
			case line == "" || kind == "#":
			case kind == "":
				entries[key] = append(entries[key], strings.TrimSpace(rest))
			case kind == "type" || kind == "parameter":
				entries[kind+" "+name] = []string{strings.TrimPrefix(text, "= ")}
			default:
				key = line
			}
		}
		return entries
	})
)

// fills returns what stands for the words of the file that begin with a dollar.
func fills(site *schema.Site) *strings.Replacer {
	limits := &site.Settings.Limits
	return strings.NewReplacer(
		"$batchRequests", strconv.Itoa(limits.BatchRequests),
		"$longestSide", strconv.Itoa(settings.LongestSide),
		"$pictureFormats", `"`+strings.Join(settings.PictureFormats, `" | "`)+`"`,
		"$defaultLocale", site.Settings.DefaultLocale,
		"$localeNames", quotedNames(localeCodes(site)),
	)
}

func localeCodes(site *schema.Site) (codes []string) {
	for _, l := range site.Settings.Locales {
		codes = append(codes, l.Code)
	}
	return codes
}

// extended are the entries of built-in types that their endpoints show with more members.
var extended = map[string]struct{ uid, more string }{
	"StoredFile":  {schema.FileUID, "{isUrlSigned: boolean}"},
	"CountedRole": {schema.RoleUID, "{nb_users: integer}"},
	"GrantedRole": {schema.RoleUID, "{permissions: PermissionTree}"},
}

// sharedNames are the schemas that are the same for every site.
func sharedNames() []string {
	names := slices.AppendSeq([]string{"BooleanComparison", "NumberComparison", "TextComparison"}, maps.Keys(extended))
	for key := range builtin() {
		if name, ok := strings.CutPrefix(key, "type "); ok && isReference(name) {
			names = append(names, name)
		}
	}
	return names
}

// shared returns a reference to a schema of builtin.api or of a built-in type.
func (d *document) shared(name string) object {
	if lines, ok := builtin()["type "+name]; ok {
		return d.define(name, func() any { return d.schema(lines[0]) })
	}
	if e, ok := extended[name]; ok {
		more := d.schema(e.more)[1].value.(object)
		return d.define(name, func() any { return d.entryWith(d.site.Type(e.uid), entryForm{}, more) })
	}
	return d.entry(d.builtInType(name), entryForm{})
}

// builtInType returns the built-in type that has this name in the document.
func (d *document) builtInType(name string) *schema.Type {
	for t, known := range d.names {
		if t.BuiltIn && known == name {
			return t
		}
	}
	panic("there is no schema " + name)
}

// registration is the body that makes an account.
func (d *document) registration() object {
	s := d.schema("{username: string, email: email, password: password}")
	properties, user := s[1].value.(object), d.site.Type(schema.UserUID)
	for _, name := range d.site.Settings.Accounts.Register.Fields {
		properties = append(properties, member{name, d.inputSchema(user.Attribute(name))})
	}
	s[1].value = properties
	return s
}

// account is the body that makes or changes a user. Other members are ignored.
func (d *document) account(isNew bool) object {
	properties, needed := d.inputs(d.site.Type(schema.UserUID))
	s := object{{"type", "object"}, {"properties", properties}}
	if isNew {
		s = s.with(member{"required", texts(needed)})
	}
	return s
}
