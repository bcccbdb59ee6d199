package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	folderName    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*$`)
	routeName     = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	attributeName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// reservedNames are the attribute names that the reference keeps for itself.
// Its documentation lists "meta" too, but it loads and serves an attribute of
// that name, which nothing in an entry clashes with.
var reservedNames = []string{
	"id", "documentId", "createdAt", "updatedAt", "publishedAt", "createdBy", "updatedBy",
	"status", "entryId", "locale", "localizations", "then", "document",
}

// reservedPrefixes cover strapi_stage and strapi_assignee, and __component and
// __type, which mark items in entries.
var reservedPrefixes = []string{"strapi", "_strapi", "__"}

func checkAttributeName(m member) {
	reserved := slices.Contains(reservedNames, m.key)
	for _, prefix := range reservedPrefixes {
		reserved = reserved || strings.HasPrefix(m.key, prefix)
	}
	switch {
	case reserved:
		m.refuse(fmt.Sprintf("the name %q is reserved", m.key), "rename the attribute")
	case !attributeName.MatchString(m.key):
		m.refuse(fmt.Sprintf("%q cannot be the name of an attribute", m.key), "use letters, digits and _, a letter first")
	}
}

// reservedRoutes are the paths under /api that have endpoints of their own.
var reservedRoutes = []string{"auth", "connect", "i18n", "upload", "users", "users-permissions"}

// checkNames fills the tables of routes. Singular and plural names of all
// content types share one space, as in the reference.
func (l *loader) checkNames() {
	holder := map[string]*Type{}
	for t := range l.site.Served() {
		l.claim(holder, t, "info.singularName", t.Singular)
		l.claim(holder, t, "info.pluralName", t.Plural)
		if t.Kind == Single {
			l.route(t, "info.singularName", l.site.bySingular)
		} else {
			l.route(t, "info.pluralName", l.site.byPlural)
		}
	}
}

func (l *loader) claim(holder map[string]*Type, t *Type, place, name string) {
	other := holder[name]
	if other != nil && other != t {
		l.problems.add(Problem{
			File:    t.File,
			Place:   place,
			Message: fmt.Sprintf("%q is a name of %s already", name, other.UID),
			Fix:     "give one of the two another name; singular and plural names are unique over all content types",
		})
	}
	if other == nil && name != "" {
		holder[name] = t
	}
}

func (l *loader) route(t *Type, place string, table map[string]*Type) {
	if slices.Contains(reservedRoutes, t.Route()) {
		l.problems.add(Problem{
			File:    t.File,
			Place:   place,
			Message: fmt.Sprintf("/api/%s has endpoints of its own", t.Route()),
			Fix:     "choose another name",
		})
	}
	table[t.Route()] = t
}
