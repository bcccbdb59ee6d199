package code

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A role is what Strapi does with a file because of its place.
type role string

const (
	isIndex       role = "index"
	isAPI         role = "api"
	isController  role = "controller"
	isService     role = "service"
	isRoutes      role = "routes"
	isPolicy      role = "policy"
	isMiddleware  role = "middleware"
	isLifecycles  role = "lifecycles"
	isExtension   role = "extension"
	isPlugin      role = "plugin" // the first file of a plugin of the project
	isConfig      role = "config"
	isEnvironment role = "environment"
	isModule      role = "module" // runs if another file imports it
)

// A source is a file of a project with code in it.
type source struct {
	path string // relative to the project, with slashes
	role role
	name string // by which it is found: "api::article.article", "global::stamp", "server"
	api  string // the name of its API
}

// A place is where Strapi looks for files. Its groups are the API and the name, as far as
// the place has them.
type place struct {
	pattern *regexp.Regexp
	role    role
	prefix  string // of the name
}

const extensions = `\.(?:js|cjs|mjs|ts|cts|mts)$`

var places = []place{
	{regexp.MustCompile(`^src/index` + extensions), isIndex, ""},
	{regexp.MustCompile(`^src/api/(?P<api>[^/.][^/]*)/index` + extensions), isAPI, ""},
	{regexp.MustCompile(`^src/api/(?P<api>[^/.][^/]*)/controllers/(?P<name>[^/]+?)` + extensions), isController, "api::"},
	{regexp.MustCompile(`^src/api/(?P<api>[^/.][^/]*)/services/(?P<name>[^/]+?)` + extensions), isService, "api::"},
	{regexp.MustCompile(`^src/api/(?P<api>[^/.][^/]*)/routes/(?P<name>[^/]+?)` + extensions), isRoutes, "api::"},
	{regexp.MustCompile(`^src/api/(?P<api>[^/.][^/]*)/policies/(?P<name>[^/]+?)` + extensions), isPolicy, "api::"},
	{regexp.MustCompile(`^src/api/(?P<api>[^/.][^/]*)/middlewares/(?P<name>[^/]+?)` + extensions), isMiddleware, "api::"},
	{regexp.MustCompile(`^src/api/(?P<api>[^/.][^/]*)/content-types/(?P<name>[^/]+)/lifecycles` + extensions), isLifecycles, "api::"},
	{regexp.MustCompile(`^src/policies/(?P<name>[^/]+?)` + extensions), isPolicy, "global::"},
	{regexp.MustCompile(`^src/middlewares/(?P<name>[^/]+?)` + extensions), isMiddleware, "global::"},
	{regexp.MustCompile(`^src/extensions/(?P<name>[^/]+)/strapi-server(?:/index)?` + extensions), isExtension, ""},
	{regexp.MustCompile(`^config/(?P<name>[^/]+?)(?:` + extensions + `|\.json$)`), isConfig, ""},
	{regexp.MustCompile(`^config/env/(?P<api>[^/]+)/(?P<name>[^/]+?)(?:` + extensions + `|\.json$)`), isEnvironment, ""},
	{regexp.MustCompile(`^src/(?:[^/]+/)*[^/]+` + extensions), isModule, ""},
}

var (
	noCode   = regexp.MustCompile(`\.d\.[cm]?ts$|\.(?:test|spec)\.[cm]?[jt]s$|(?:^|/)(?:__tests__|tests?)/|^src/plugins/[^/]+/strapi-admin\.`)
	adminDir = regexp.MustCompile(`^src/(?:admin|plugins/[^/]+/(?:admin|dist|node_modules))(?:/|$)`)
)

// maxFiles is the maximum number of files of code in a project.
const maxFiles = 5000

// find lists the files of a project in the order of their paths. Those of another
// environment are left out, and so are config/database, which is of no use here, what plugins
// have for the admin panel, and a folder dist, which is compiled from the others.
func find(project fs.FS, environment string) ([]source, error) {
	var found []source
	for _, top := range []string{"config", "src"} {
		err := fs.WalkDir(project, top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil && name == top:
				return fs.SkipDir
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "node_modules" || adminDir.MatchString(name)):
				return fs.SkipDir
			case d.IsDir() || noCode.MatchString(name):
				return nil
			}
			if s, ok := sourceAt(name, environment); ok && len(found) < maxFiles {
				found = append(found, s)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b source) int { return comparePaths(a.path, b.path) })
	return found, nil
}

// comparePaths orders files as Strapi reads folders: by each element of the path.
func comparePaths(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// sourceAt says what a file is by its path; ok is false for one that is not code.
func sourceAt(name, environment string) (s source, ok bool) {
	for _, p := range places {
		part := p.pattern.FindStringSubmatch(name)
		if part == nil {
			continue
		}
		s = source{path: name, role: p.role}
		if i := p.pattern.SubexpIndex("api"); i > 0 {
			s.api = kebab(part[i])
		}
		if i := p.pattern.SubexpIndex("name"); i > 0 {
			s.name = p.nameOf(part[i], s.api)
		}
		switch {
		case s.role == isEnvironment && part[1] != environment, s.role == isConfig && s.name == "database", s.role == isEnvironment && s.name == "database":
			return s, false
		case strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, "config/"):
			return s, false
		}
		return s, true
	}
	return s, false
}

// nameOf is the name by which Strapi finds a file.
func (p place) nameOf(base, api string) string {
	switch p.prefix {
	case "api::":
		return "api::" + api + "." + kebab(base)
	case "global::":
		return "global::" + kebab(base)
	}
	return path.Base(base)
}

var (
	isKebab  = regexp.MustCompile(`^([a-z][a-z0-9]*)(-[a-z0-9]+)*$`)
	wordEnd  = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	notWords = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// kebab is a name as Strapi writes it: "homePage" is "home-page".
func kebab(name string) string {
	if isKebab.MatchString(name) {
		return name
	}
	words := notWords.ReplaceAllString(wordEnd.ReplaceAllString(name, "$1-$2"), "-")
	return strings.ToLower(strings.Trim(words, "-"))
}
