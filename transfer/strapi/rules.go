package strapi

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// configRules are the known members of each file, by their paths in it.
var configRules = map[string]map[string]rule{"api": apiRules, "plugins": pluginRules, "admin": adminRules, "server": serverRules}

func sortedKeys(members map[string]any) []string { return slices.Sorted(maps.Keys(members)) }

// noEffect is the rule of a member that has no effect in Quire.
func noEffect(*configuration, any) bool { return true }

// only is the rule of a member that has no effect if it has a certain value.
func only(value any) rule {
	return func(_ *configuration, v any) bool { return v == value }
}

// count is the rule of a whole number with a different default.
func count(usual int64, path ...string) rule {
	return func(c *configuration, v any) bool {
		n, ok := whole(v)
		if ok && n != usual {
			c.set(n, path...)
		}
		return ok
	}
}

// bytes is the rule of a size.
func bytes(usual int64, path ...string) rule {
	return func(c *configuration, v any) bool {
		n, ok := bytesOf(v)
		if ok && n != usual {
			c.set(n, path...)
		}
		return ok
	}
}

// whole returns a whole number of at least 1.
func whole(v any) (n int64, ok bool) {
	f, ok := v.(float64)
	return int64(f), ok && f >= 1 && f <= 1<<53 && f == math.Trunc(f)
}

var size = regexp.MustCompile(`^(?i)([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*(b|kb|mb|gb)?$`)

// bytesOf reads a size, for example 1024 or "10mb".
func bytesOf(v any) (n int64, ok bool) {
	text, ok := v.(string)
	if !ok {
		return whole(v)
	}
	part := size.FindStringSubmatch(text)
	if part == nil {
		return 0, false
	}
	number, err := strconv.ParseFloat(part[1], 64)
	exponent := slices.Index([]string{"b", "kb", "mb", "gb"}, strings.ToLower(part[2]))
	n = int64(number * float64(int64(1)<<(10*max(exponent, 0))))
	return n, err == nil && n >= 1
}

// words is the rule of a list of texts of a form.
func words(form *regexp.Regexp, path ...string) rule {
	return func(c *configuration, v any) bool {
		list, ok := v.([]any)
		usual := true
		for _, item := range list {
			text, isText := item.(string)
			ok = ok && isText && form.MatchString(text)
			usual = usual && slices.Contains(usualTypes, text)
		}
		if ok && len(list) > 0 {
			c.set(list, path...)
			c.Settings[len(c.Settings)-1].Generated = usual
		}
		return ok
	}
}

// usualTypes are the media types that a new project allows or denies.
var usualTypes = []string{
	"image/*", "video/*", "audio/*", "application/pdf", "application/msword", "application/vnd.openxmlformats-officedocument.*", "text/plain", "text/csv",
	"image/svg+xml", "application/vnd.microsoft.portable-executable", "application/x-msdownload", "application/x-msdos-program", "application/x-executable",
	"application/x-dosexec", "application/x-sh", "text/x-shellscript", "application/x-mach-binary",
}

var (
	attributeName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	mediaType     = regexp.MustCompile(`^[a-z]+/(\*|[a-z0-9][a-z0-9.+-]*(\.\*)?)$`)
	webAddress    = regexp.MustCompile(`^https?://[^\s/?#@]+(/[^\s?#]*)?$`)
	lifetime      = regexp.MustCompile(`^[1-9][0-9]{0,3}[smhd]$`)
)

var apiRules = map[string]rule{
	"rest.defaultLimit":           count(25, "rest", "defaultLimit"),
	"rest.maxLimit":               count(100, "rest", "maxLimit"),
	"rest.withCount":              withCount,
	"rest.prefix":                 only("/api"),
	"rest.strictParams":           noEffect,
	"documents.strictParams":      noEffect,
	"documents.strictRelations":   noEffect,
	"responses.privateAttributes": words(attributeName, "responses", "privateAttributes"),
}

func withCount(c *configuration, v any) bool {
	if v == false {
		c.set(false, "rest", "withCount")
	}
	return v == false || v == true
}

var pluginRules = map[string]rule{
	"upload.config.sizeLimit":                       bytes(200<<20, "upload", "sizeLimit"),
	"upload.config.provider":                        only("local"),
	"upload.config.providerOptions.local.sizeLimit": noEffect,
	"upload.config.providerOptions.localServer":     noEffect,
	"upload.config.security.allowedTypes":           words(mediaType, "upload", "allow"),
	"upload.config.security.deniedTypes":            words(mediaType, "upload", "deny"),
	"upload.enabled":                                only(true),

	"graphql":                                     graphqlPlugin,
	"graphql.enabled":                             noEffect, // see graphqlPlugin
	"graphql.config.endpoint":                     endpoint,
	"graphql.config.shadowCRUD":                   only(true),
	"graphql.config.depthLimit":                   depthLimit,
	"graphql.config.defaultLimit":                 count(10, "graphql", "defaultLimit"),
	"graphql.config.maxLimit":                     limit("graphql", "maxLimit"),
	"graphql.config.amountLimit":                  limit("graphql", "amountLimit"),
	"graphql.config.apolloServer.introspection":   introspection,
	"graphql.config.server.options.introspection": introspection,
	"graphql.config.server.provider":              only("apollo"),
	"graphql.config.server.version":               noEffect,
	"graphql.config.apolloServer.tracing":         noEffect,
	"graphql.config.playgroundAlways":             noEffect,
	"graphql.config.landingPage":                  noEffect,
	"graphql.config.generateArtifacts":            noEffect,
	"graphql.config.subscriptions":                noEffect,

	"users-permissions.config.jwtManagement":          jwtManagement,
	"users-permissions.config.sessions.httpOnly":      noEffect,
	"users-permissions.config.jwtSecret":              noEffect,
	"users-permissions.config.jwt.expiresIn":          expiresIn,
	"users-permissions.config.register.allowedFields": words(attributeName, "auth", "register", "allowedFields"),
	"users-permissions.enabled":                       only(true),
}

// graphqlPlugin: a project that names the plugin has it, unless it says otherwise.
func graphqlPlugin(c *configuration, v any) bool {
	c.graphqlNamed = true
	members, _ := v.(map[string]any)
	if v != false && members["enabled"] != false {
		c.set(true, "graphql", "enabled")
	}
	return v == true || v == false
}

var endpointForm = regexp.MustCompile(`^(/[A-Za-z0-9_-]+)+$`)

func endpoint(c *configuration, v any) bool {
	text, _ := v.(string)
	ok := endpointForm.MatchString(text)
	if ok && text != "/graphql" {
		c.set(text, "graphql", "endpoint")
	}
	return ok
}

func depthLimit(c *configuration, v any) bool {
	n, ok := whole(v)
	return ok && n <= 50 && count(10, "graphql", "depthLimit")(c, v)
}

// limit is the rule of a whole number for which -1 is none.
func limit(path ...string) rule {
	return func(c *configuration, v any) bool { return v == -1.0 || count(-1, path...)(c, v) }
}

func introspection(c *configuration, v any) bool {
	if v == false {
		c.set(false, "graphql", "introspection")
	}
	return v == false || v == true
}

// jwtManagement: "refresh" uses sessions with refresh tokens.
func jwtManagement(c *configuration, v any) bool {
	if v == "refresh" {
		c.set(true, "auth", "refresh", "enabled")
		c.Settings[len(c.Settings)-1].Generated = true
	}
	return v == "refresh" || v == "legacy-support"
}

func expiresIn(c *configuration, v any) bool {
	text, _ := v.(string)
	ok := lifetime.MatchString(text)
	if ok && text != "30d" {
		c.set(text, "auth", "jwt", "lifetime")
	}
	return ok
}

// Secrets are in the data folder of a site; the flags are for Strapi's admin panel.
var adminRules = map[string]rule{
	"auth.secret": noEffect, "apiToken.salt": noEffect, "transfer.token.salt": noEffect,
	"apiToken.secrets.encryptionKey": noEffect, "secrets.encryptionKey": noEffect,
	"flags.nps": noEffect, "flags.promoteEE": noEffect, "flags.docLinks": noEffect,
}

// The code of the project runs its cron tasks.
var serverRules = map[string]rule{
	"host":                       only("0.0.0.0"),
	"port":                       only(1337.0),
	"app.keys":                   noEffect,
	"cron":                       noEffect,
	"webhooks.populateRelations": only(false),
	"url":                        address,
}

func address(c *configuration, v any) bool {
	text, ok := v.(string)
	if webAddress.MatchString(text) {
		c.set(text, "url")
		return true
	}
	return ok && text == ""
}

// usualMiddlewares are the middlewares that every project has. The configuration of the
// first ones has no effect on the API that Quire serves.
var (
	idleMiddlewares  = []string{"strapi::logger", "strapi::errors", "strapi::poweredBy", "strapi::session", "strapi::favicon", "strapi::public", "strapi::responseTime", "strapi::compression"}
	usualMiddlewares = append([]string{"strapi::security", "strapi::cors", "strapi::query", "strapi::body"}, idleMiddlewares...)
)

// bodyRules are the rules of strapi::body. Quire reads only JSON bodies and uploads.
var bodyRules = map[string]rule{
	"jsonLimit": bytes(1<<20, "limits", "bodyBytes"),
	"formLimit": noEffect, "textLimit": noEffect, "jsonStrict": noEffect,
	"formidable.maxFileSize": maxFileSize,
}

// maxFileSize sets the maximum size of uploads, unless it is Strapi's default.
func maxFileSize(c *configuration, v any) bool {
	return bytes(200<<20, "upload", "sizeLimit")(c, v)
}

// middlewareList reads config/middlewares: names, and objects with a name and a config. The
// code of the project runs its own middlewares.
func (c *configuration) middlewareList(v any) {
	list, ok := v.([]any)
	if !ok {
		c.leave("")
	}
	for _, item := range list {
		name, _ := item.(string)
		var config any
		if members, ok := item.(map[string]any); ok {
			name, _ = members["name"].(string)
			config = members["config"]
		}
		members, _ := config.(map[string]any)
		plugin, _, _ := strings.Cut(strings.TrimPrefix(name, "plugin::"), ".")
		switch {
		case strings.HasPrefix(name, "global::"), strings.HasPrefix(name, "api::"), strings.HasPrefix(name, "plugin::") && c.own[plugin]:
		case !slices.Contains(usualMiddlewares, name):
			c.leave(name)
		case config == nil || slices.Contains(idleMiddlewares, name):
		case name == "strapi::cors" && allowsEveryOrigin(members):
		case name == "strapi::body":
			c.rules = bodyRules
			c.walk(config, "")
		case members == nil || len(members) > 0:
			c.leave(name)
		}
	}
}

// allowsEveryOrigin reports whether all that a config of strapi::cors says is that every
// origin is allowed, as Quire does. Which methods and headers are is part of what is left.
func allowsEveryOrigin(config map[string]any) bool {
	origin := config["origin"]
	if list, ok := origin.([]any); ok && len(list) == 1 {
		origin = list[0]
	}
	return len(config) == 1 && origin == "*"
}
