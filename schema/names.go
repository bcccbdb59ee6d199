package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"quire/schema/source"
)

var (
	folderName    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*$`)
	routeName     = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	attributeName = regexp.MustCompile(`^[\p{L}_][\p{L}\p{M}\p{N}_-]*$`) // Strapi loads any
)

// reservedNames are the attribute names that Strapi uses itself. Its editor refuses "meta",
// "status", "entryId" and "document" too, but Strapi loads and serves attributes of these
// names, and many projects have a "status".
var reservedNames = []string{"id", "documentId", "locale", "localizations", "then"}

// systemNames are those of the attributes that every content type has. Strapi puts its own
// in the place of what a schema says of them.
var systemNames = []string{"createdAt", "updatedAt", "publishedAt", "createdBy", "updatedBy"}

// RankKey is the key by which a read sorts by the rank of _q. No attribute may have that
// name.
const RankKey = "_rank"

// reservedPrefixes cover strapi_stage and strapi_assignee, and __component and
// __type, which mark items in entries.
var reservedPrefixes = []string{"strapi", "_strapi", "__"}

func checkAttributeName(m source.Member) {
	reserved := slices.Contains(reservedNames, m.Key) || slices.Contains(systemNames, m.Key) || m.Key == RankKey
	for _, prefix := range reservedPrefixes {
		reserved = reserved || strings.HasPrefix(m.Key, prefix)
	}
	switch {
	case reserved:
		m.Refuse(fmt.Sprintf("the name %q is reserved", m.Key), "rename the attribute")
	case !attributeName.MatchString(m.Key):
		m.Refuse(fmt.Sprintf("%q cannot be the name of an attribute", m.Key), "use letters, digits, _ and -, a letter first")
	}
}

// reservedRoutes are the paths under /api that have endpoints of their own.
var reservedRoutes = []string{"auth", "connect", "i18n", "upload", "users", "users-permissions"}

// checkNames fills the tables of routes. The singular and plural names of all content types
// must differ, as in Strapi.
func (l *loader) checkNames() {
	claimed := map[string]*Type{}
	for t := range l.site.Served() {
		l.claimName(claimed, t, "info.singularName", t.Singular)
		l.claimName(claimed, t, "info.pluralName", t.Plural)
		if t.Kind == Single {
			l.addRoute(t, "info.singularName", l.site.bySingular)
		} else {
			l.addRoute(t, "info.pluralName", l.site.byPlural)
		}
	}
}

func (l *loader) claimName(claimed map[string]*Type, t *Type, place, name string) {
	other := claimed[name]
	if other != nil && other != t {
		l.problems.Add(source.Problem{
			File:    t.File,
			Place:   place,
			Message: fmt.Sprintf("%q is already a name of %s", name, other.UID),
			Fix:     "give one of the two another name; singular and plural names are unique over all content types",
		})
	}
	if other == nil && name != "" {
		claimed[name] = t
	}
}

func (l *loader) addRoute(t *Type, place string, table map[string]*Type) {
	if slices.Contains(reservedRoutes, t.Route()) {
		l.problems.Add(source.Problem{
			File:    t.File,
			Place:   place,
			Message: fmt.Sprintf("/api/%s has endpoints of its own", t.Route()),
			Fix:     "choose another name",
		})
	}
	table[t.Route()] = t
}
