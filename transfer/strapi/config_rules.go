package strapi

import (
	"regexp"
	"slices"
	"strconv"

	"quire/transfer/strapi/script"
)

// noEffect is the rule of a member that has no effect in Quire.
func noEffect(*configuration, script.Value) bool { return true }

// onlyText is the rule of a member that has no effect if it has a certain value.
func onlyText(text string) rule {
	return func(_ *configuration, v script.Value) bool { return v.Text == text && v.Kind != script.Call }
}

// fromVariable is the rule of a member that Quire reads from the same variable.
func fromVariable(name string) rule {
	return func(_ *configuration, v script.Value) bool {
		return v.Kind == script.Call && len(v.Items) > 0 && v.Items[0].Text == name
	}
}

// count is the rule of a whole number with a different default.
func count(usual int64, path ...string) rule {
	return func(c *configuration, v script.Value) bool {
		n, ok := whole(v)
		if ok && n != usual {
			c.set(strconv.FormatInt(n, 10), path...)
		}
		return ok
	}
}

// bytes is the rule of a size.
func bytes(usual int64, path ...string) rule {
	return func(c *configuration, v script.Value) bool {
		n, ok := bytesOf(v)
		if ok && n != usual {
			c.set(strconv.FormatInt(n, 10), path...)
		}
		return ok
	}
}

// words is the rule of a list of texts of a form.
func words(form *regexp.Regexp, path ...string) rule {
	return func(c *configuration, v script.Value) bool {
		text, err := v.JSON()
		bad := func(v script.Value) bool { return v.Kind != script.Text || !form.MatchString(v.Text) }
		if err != nil || v.Kind != script.List || slices.ContainsFunc(v.Items, bad) {
			return false
		}
		if len(v.Items) > 0 {
			c.set(string(text), path...)
			other := func(v script.Value) bool { return !slices.Contains(usualTypes, v.Text) }
			c.settings[len(c.settings)-1].Generated = !slices.ContainsFunc(v.Items, other)
		}
		return true
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
	"rest.prefix":                 onlyText("/api"),
	"rest.strictParams":           noEffect,
	"documents.strictParams":      noEffect,
	"documents.strictRelations":   noEffect,
	"responses.privateAttributes": words(attributeName, "responses", "privateAttributes"),
}

func withCount(c *configuration, v script.Value) bool {
	if v.Kind == script.Flag && v.Text == "false" {
		c.set("false", "rest", "withCount")
	}
	return v.Kind == script.Flag
}

var pluginRules = map[string]rule{
	"upload.config.sizeLimit":                       bytes(200<<20, "upload", "sizeLimit"),
	"upload.config.provider":                        onlyText("local"),
	"upload.config.providerOptions.local.sizeLimit": noEffect,
	"upload.config.providerOptions.localServer":     noEffect,
	"upload.config.security.allowedTypes":           words(mediaType, "upload", "allow"),
	"upload.config.security.deniedTypes":            words(mediaType, "upload", "deny"),
	"upload.enabled":                                onlyText("true"),

	"graphql":                                     graphqlPlugin,
	"graphql.enabled":                             noEffect, // see graphqlPlugin
	"graphql.config.endpoint":                     endpoint,
	"graphql.config.shadowCRUD":                   onlyText("true"),
	"graphql.config.depthLimit":                   depthLimit,
	"graphql.config.defaultLimit":                 count(10, "graphql", "defaultLimit"),
	"graphql.config.maxLimit":                     limit("graphql", "maxLimit"),
	"graphql.config.amountLimit":                  limit("graphql", "amountLimit"),
	"graphql.config.apolloServer.introspection":   introspection,
	"graphql.config.server.options.introspection": introspection,
	"graphql.config.server.provider":              onlyText("apollo"),
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
	"users-permissions.enabled":                       onlyText("true"),
}

// graphqlPlugin: a project that names the plugin has it, unless it says otherwise.
func graphqlPlugin(c *configuration, v script.Value) bool {
	c.graphqlNamed = true
	if v.Text != "false" && v.At("enabled").Text != "false" {
		c.set("true", "graphql", "enabled")
	}
	return v.Kind == script.Flag
}

var endpointForm = regexp.MustCompile(`^(/[A-Za-z0-9_-]+)+$`)

func endpoint(c *configuration, v script.Value) bool {
	ok := v.Kind == script.Text && endpointForm.MatchString(v.Text)
	if ok && v.Text != "/graphql" {
		c.set(strconv.Quote(v.Text), "graphql", "endpoint")
	}
	return ok
}

func depthLimit(c *configuration, v script.Value) bool {
	n, ok := whole(v)
	return ok && n <= 50 && count(10, "graphql", "depthLimit")(c, v)
}

// limit is the rule of a whole number for which -1 is none.
func limit(path ...string) rule {
	return func(c *configuration, v script.Value) bool {
		return v.Kind == script.Number && v.Text == "-1" || count(-1, path...)(c, v)
	}
}

func introspection(c *configuration, v script.Value) bool {
	if v.Kind == script.Flag && v.Text == "false" {
		c.set("false", "graphql", "introspection")
	}
	return v.Kind == script.Flag
}

// jwtManagement: "refresh" uses sessions with refresh tokens.
func jwtManagement(c *configuration, v script.Value) bool {
	if v.Kind == script.Text && v.Text == "refresh" {
		c.set("true", "auth", "refresh", "enabled")
		c.settings[len(c.settings)-1].Generated = true
		return true
	}
	return v.Kind == script.Text && v.Text == "legacy-support"
}

func expiresIn(c *configuration, v script.Value) bool {
	ok := v.Kind == script.Text && lifetime.MatchString(v.Text)
	if ok && v.Text != "30d" {
		c.set(strconv.Quote(v.Text), "auth", "jwt", "lifetime")
	}
	return ok
}

// Secrets are in the data folder of a site; the flags are for Strapi's admin panel.
var adminRules = map[string]rule{
	"auth.secret": noEffect, "apiToken.salt": noEffect, "transfer.token.salt": noEffect,
	"apiToken.secrets.encryptionKey": noEffect, "secrets.encryptionKey": noEffect,
	"flags.nps": noEffect, "flags.promoteEE": noEffect, "flags.docLinks": noEffect,
}

var serverRules = map[string]rule{
	"host":                       fromVariable("HOST"),
	"port":                       fromVariable("PORT"),
	"app.keys":                   noEffect,
	"webhooks.populateRelations": webhooksPopulate,
	"url":                        address,
}

func webhooksPopulate(_ *configuration, v script.Value) bool {
	return v.Text == "false" || v.Kind == script.Call && len(v.Items) == 2 && v.Items[1].Text == "false"
}

func address(c *configuration, v script.Value) bool {
	ok := v.Kind == script.Text && webAddress.MatchString(v.Text)
	if ok {
		c.set(strconv.Quote(v.Text), "url")
	}
	return ok || v.Kind == script.Text && v.Text == ""
}
