package archive

import (
	"errors"
	"strings"
)

// What else an archive of Strapi holds besides content types and
// components.
const (
	localeUID     = "plugin::i18n.locale"
	permissionUID = "plugin::users-permissions.permission"
)

// What the site lacks of an archive, and what leads to nothing in the site that is
// exported, as reports say it.
const (
	noAttribute = "the site's schema has no such attribute"
	noRelation  = "the site's schema has no such relation"
	nowhere     = "they lead to nothing"
)

var errNoRow = errors.New("it does not say which rows it links")

// isForeign reports whether a type belongs to Strapi's admin panel or
// plugins, and so may be missing here.
func isForeign(uid string) bool {
	return strings.HasPrefix(uid, "plugin::") || strings.HasPrefix(uid, "admin::") || strings.HasPrefix(uid, "strapi::")
}

// whyForeign says why entries of such a type stay out.
func whyForeign(uid string) string {
	switch {
	case uid == localeUID:
		return "locales stand in site.json"
	case strings.HasPrefix(uid, "admin::"):
		return "there is no admin panel"
	}
	return "there is no such plugin"
}
