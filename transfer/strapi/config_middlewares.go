package strapi

import (
	"slices"

	"quire/transfer/strapi/script"
)

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
func maxFileSize(c *configuration, v script.Value) bool {
	return bytes(200<<20, "upload", "sizeLimit")(c, v)
}

// middlewareList reads config/middlewares: names, and objects with a name and a config.
func (c *configuration) middlewareList(list script.Value) {
	if list.Kind != script.List {
		c.leave("", list)
		return
	}
	for _, item := range list.Items {
		name, config := item, script.Value{Kind: script.Undefined}
		if item.Kind == script.Object {
			name, config = item.At("name"), item.At("config")
		}
		switch {
		case name.Kind != script.Text || item.Spread:
			c.leave("", item)
		case !slices.Contains(usualMiddlewares, name.Text):
			c.leave(name.Text, item)
		case config.Kind == script.Undefined || slices.Contains(idleMiddlewares, name.Text):
		case name.Text == "strapi::cors" && allowsEveryOrigin(config):
		case name.Text == "strapi::body":
			c.rules = bodyRules
			c.walk(config, "")
		case config.Kind != script.Object || len(config.Items) > 0:
			c.leave(name.Text, item)
		}
	}
}

// allowsEveryOrigin reports whether all that a config of strapi::cors says is that every
// origin is allowed, as Quire does. Which methods and headers are is part of what is left.
func allowsEveryOrigin(config script.Value) bool {
	if config.Kind != script.Object || len(config.Keys) != 1 || config.Keys[0] != "origin" {
		return false
	}
	origin := config.Items[0]
	if origin.Kind == script.List && len(origin.Items) == 1 && !origin.Items[0].Spread {
		origin = origin.Items[0]
	}
	return origin.Kind == script.Text && origin.Text == "*"
}
