package strapi

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// kind is a kind of files that Strapi runs and that Quire does not, or only with the code of
// the project.
type kind struct {
	runs    bool // with the code of the project
	name    string
	path    *regexp.Regexp // of its files, without their extensions; nil if something else recognises them
	did     string
	instead string
}

func paths(pattern string) *regexp.Regexp { return regexp.MustCompile("^(?:" + pattern + ")$") }

// config returns the path of a file of settings, for all environments or for one.
func config(name string) *regexp.Regexp { return paths(`config/(?:env/[^/]+/)?` + name) }

// kinds are in the order of the report. The first kind that fits a file counts.
var kinds = []kind{
	{true, "route middlewares", paths(`src/(?:api/[^/]+/)?middlewares/.+`),
		"ran before and after the controller; often they set populate, filters or the sort order of a request",
		"set populate, sort, fields and pagination of each content type with `defaults` in site.json (docs/site.md); send filters with the request; what allowed or refused requests belongs in `roles`"},
	{true, "routes", paths(`src/api/[^/]+/routes/.+`),
		"added routes, removed routes, or gave routes their policies and middlewares",
		"allow the actions that callers may use with `roles` in site.json (`quire routes` lists the routes); answer routes of your own in a program beside Quire, and name it under `proxy` in site.json (docs/customising.md)"},
	{true, "controllers", paths(`src/api/[^/]+/controllers/.+`),
		"changed or added what a request does and what its response contains",
		"set default parameters with `defaults` in site.json, hide attributes with \"private\" in the schema; answer routes of your own in a program beside Quire with `proxy`, and check or change what is written with `hooks` in site.json (docs/customising.md)"},
	{true, "services", paths(`src/api/[^/]+/services/.+`),
		"changed how documents are read and written, or held code that controllers and lifecycles call",
		"move what is still needed into a program beside Quire, which calls the API with a token (`quire token create`) and is asked by `hooks` or `proxy` in site.json (docs/customising.md)"},
	{true, "policies", paths(`src/(?:api/[^/]+/)?policies/.+`),
		"allowed or refused requests",
		"allow actions with `roles` in site.json (docs/site.md); what is not listed is denied. Check conditions on the content or the body of a write with `hooks` in site.json (docs/customising.md)"},
	{true, "lifecycles", paths(`src/(?:api|extensions)/.+/lifecycles`),
		"ran before and after entries were created, changed or deleted",
		"for what ran after a change, use webhooks (docs/webhooks.md) or the log of changes (docs/events.md); for what ran before, use the rules and defaults of the schema, or `hooks` in site.json (docs/customising.md)"},
	{true, "document service middlewares", nil,
		"changed or observed reads and writes of documents; the file may do more",
		"set populate and sort with `defaults` in site.json; observe changes with webhooks (docs/webhooks.md) or the log of changes (docs/events.md); check or change what is written with `hooks` in site.json (docs/customising.md)"},
	{true, "src/index", paths(`src/index`),
		"ran code at start (register, bootstrap): for example to set permissions, create content or subscribe to changes",
		"set permissions with `roles` in site.json, create content with `quire import`, follow changes with webhooks (docs/webhooks.md)"},
	{true, "cron tasks", paths(`(?:config/(?:env/[^/]+/)?|src/)(?:.+/)?cron(?:[-_.]?tasks?)?`),
		"ran tasks at set times",
		"run a program from cron or a systemd timer that calls the API with a token; publish at a set time with schedules (docs/lifecycle.md), make backups with `backup.schedule` in site.json"},
	{false, "config/api", config(`api`),
		"set page sizes, the prefix of the API and attributes that responses leave out",
		"set `rest.defaultLimit`, `rest.maxLimit`, `rest.withCount` and `responses.privateAttributes` in site.json (docs/site.md); the prefix is always /api"},
	{false, "config/middlewares", config(`middlewares`),
		"set CORS, body limits, security headers and the other middlewares of all requests",
		"set `limits.bodyBytes`, `upload.sizeLimit` and `rateLimit` in site.json (docs/site.md). CORS allows every origin without credentials and cannot be changed; add headers in a proxy"},
	{false, "config/plugins", config(`plugins`),
		"configured plugins and providers: uploads, mail, users, i18n and others",
		"set `upload` (files in a bucket: `upload.storage`), `mail`, `auth`, `i18n` and `customFields` in site.json (docs/site.md); other plugins have no counterpart"},
	{false, "config/admin", config(`admin`),
		"configured the admin panel: secrets, address, sessions, preview",
		"set `admin` and `preview` in site.json (docs/site.md, docs/preview.md)"},
	{false, "config/server", config(`server`),
		"set the address, the public URL, proxies and cron of the server",
		"use `quire serve --listen` or HOST and PORT; set `url` and `auth.trustedProxies` in site.json"},
	{false, "config/database", config(`database`),
		"named the database",
		"nothing: Quire keeps the content in data/quire.db. Move it with `strapi export` and `quire import` (docs/import-export.md)"},
	{true, "other settings", paths(`config/.+`),
		"held settings for Strapi or for the code of the project",
		"nothing in Quire reads it; keep it with the program that takes over the code"},
	{false, "types in code", paths(`src/api/[^/]+/content-types/[^/]+/schema|src/components/[^/]+/[^/]+`),
		"declared a content type or a component in code",
		"write the same object as JSON, in a file with the same name that ends in .json"},
	{true, "extensions", paths(`src/extensions/.+`),
		"changed a plugin: its routes, controllers, services or content types",
		"Quire reads the attributes of users from src/extensions/users-permissions/content-types/user/schema.json and nothing else; `auth` in site.json configures accounts (docs/auth.md)"},
	{false, "admin panel", paths(`src/admin/.+|src/plugins/[^/]+/(?:admin/.+|strapi-admin)`),
		"changed Strapi's admin panel",
		"Quire has an admin of its own (docs/admin.md), which cannot be extended"},
	{false, "content types of plugins", paths(`src/plugins/.*content-types/.+/schema`),
		"declared a content type of a plugin of this project",
		"move the file to src/api, and name the type by its new uid (api::…) in the code"},
	{true, "plugins", paths(`src/plugins/.+`),
		"is part of a plugin of this project",
		"give custom fields a type with `customFields` in site.json, and move code into a program that calls the API"},
	{false, "packages", nil,
		"installed plugins and providers",
		"files in a bucket: `upload.storage`; mail: `mail`; signing in: `auth` (docs/site.md); `quire openapi` describes the API. Other plugins have no counterpart"},
	{false, "providers", paths(`providers/.+`),
		"stored uploads or sent mail",
		"set `upload.storage` (docs/media.md) and `mail` (docs/auth.md) in site.json"},
	{false, "database migrations", paths(`database/migrations/.+`),
		"changed the database at start",
		"nothing for content that was exported after it ran; `quire migrate` adapts content to later schemas (docs/migrate.md)"},
	{false, "public files", paths(`public/.+`),
		"was served to everyone at /",
		"serve it from the front end or from a proxy"},
	{true, "other code", paths(`src/.+`),
		"was used by other code of the project",
		"keep it with the program that takes over that code"},
}

// Kinds that are not recognised by their paths.
var (
	documents = kindNamed("document service middlewares")
	packages  = kindNamed("packages")
)

func kindNamed(name string) int {
	return slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
}

// usesDocuments finds code that registers a middleware of the document service.
var usesDocuments = regexp.MustCompile(`\bdocuments\s*\.\s*use\s*\(`)

var (
	codeFile     = regexp.MustCompile(`\.(?:[cm]?[jt]s|[jt]sx)$`)
	notRun       = regexp.MustCompile(`\.d\.[cm]?ts$|\.example\.[a-z]+$`)
	pluginSchema = regexp.MustCompile(`^src/plugins/.*content-types/.+\.json$`)
)

// kindOf returns the index of the kind of a file, -1 for files that Strapi does not run and
// files that Quire reads. Loading the site reports schemas below src/extensions.
func kindOf(name string) int {
	ending := codeFile.FindString(name)
	switch {
	case strings.HasPrefix(name, "public/"):
	case notRun.MatchString(name):
		return -1
	case ending == "" && strings.HasPrefix(name, "config/") || pluginSchema.MatchString(name):
		if ending = ".json"; !strings.HasSuffix(name, ending) {
			return -1
		}
	case ending == "":
		return -1
	}
	name = strings.TrimSuffix(name, ending)
	return slices.IndexFunc(kinds, func(k kind) bool { return k.path != nil && k.path.MatchString(name) })
}

var (
	pluginPackage = regexp.MustCompile(`^@strapi/(?:plugin|provider)-|^(?:@[^/]+/)?strapi-(?:plugin|provider)-`)
	quietPackages = []string{"@strapi/plugin-users-permissions", "@strapi/plugin-i18n", "@strapi/plugin-cloud", "@strapi/plugin-graphql"}
)

// installed returns the packages that change what Strapi serves, in order. It leaves out
// those of every new project, because Quire has what they do.
func installed(packages map[string]any) []string {
	list := slices.DeleteFunc(slices.Sorted(maps.Keys(packages)), func(name string) bool {
		return !pluginPackage.MatchString(name) || slices.Contains(quietPackages, name)
	})
	return list
}
