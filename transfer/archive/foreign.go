package archive

import (
	"errors"
	"strings"
)

// Other parts of a Strapi archive besides content types and components.
const (
	localeUID     = "plugin::i18n.locale"
	permissionUID = "plugin::users-permissions.permission"
)

// In reports: what an archive has and the site lacks, and links of the exported site that
// lead to nothing.
const (
	noAttribute = "the site's schema has no such attribute"
	noRelation  = "the site's schema has no such relation"
	nowhere     = "they lead to nothing"
)

// errNoRow reports a link without the ids of its rows.
var errNoRow = errors.New("it does not say which rows it links")

// isForeign reports whether a type belongs to Strapi's admin panel or
// plugins, and so may be missing here.
func isForeign(uid string) bool {
	return strings.HasPrefix(uid, "plugin::") || strings.HasPrefix(uid, "admin::") || strings.HasPrefix(uid, "strapi::")
}

// whyForeign returns why entries of such a type are left out.
func whyForeign(uid string) string {
	switch {
	case uid == localeUID:
		return "locales are in site.json"
	case strings.HasPrefix(uid, "admin::"):
		return "there is no admin panel"
	}
	return "there is no such plugin"
}
