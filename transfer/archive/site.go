package archive

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"quire/schema"
	"quire/schema/settings"
)

// SiteSettings are the settings of an archive that site.json can have.
type SiteSettings struct {
	DefaultLocale string            // empty if there are no locales
	Locales       []settings.Locale // in the order of the archive

	// Roles maps the type of a role to the full names of its permissions, sorted:
	// "api::dish.dish.find".
	Roles map[string][]string
}

// ReadSiteSettings reads the settings of an archive: the file at path. key decrypts it,
// unless it is empty. The error is a *FormatError for a file that is not an archive.
func ReadSiteSettings(ctx context.Context, path, key string) (*SiteSettings, error) {
	r := &siteReader{
		schemaWriter: schemaWriter{container: &container{path: path, key: key}},
		grants:       newGrants(),
		roles:        map[uint64]string{},
	}
	complete := false
	err := r.each(ctx, func(m member) error {
		complete = complete || m.name == metadataFile
		return r.member(ctx, m)
	})
	if err != nil {
		return nil, err
	}
	if !complete {
		return nil, &FormatError{File: path, Problem: "is not an archive of Strapi: it has no " + metadataFile}
	}
	s := &SiteSettings{Locales: r.locales, DefaultLocale: r.first, Roles: map[string][]string{}}
	if s.DefaultLocale == "" && len(s.Locales) > 0 {
		s.DefaultLocale = s.Locales[0].Code
	}
	for row, kind := range r.roles {
		s.Roles[kind] = append(s.Roles[kind], r.permissions(row)...)
		slices.Sort(s.Roles[kind])
	}
	return s, nil
}

// siteReader reads locales, as schemaWriter does, and roles.
type siteReader struct {
	schemaWriter
	grants
	roles map[uint64]string // their types, by row
}

func (r *siteReader) member(ctx context.Context, m member) error {
	folder, file, _ := strings.Cut(m.name, "/")
	switch {
	case m.name == metadataFile:
		return checkMetadata(r.path, m)
	case !strings.HasSuffix(file, ".jsonl"):
	case folder == "entities":
		return eachLine(ctx, m.name, m, parseAccess, r.takeAccess)
	case folder == "links":
		return eachLine(ctx, m.name, m, parseGrant, r.takeGrant)
	case folder == "configuration":
		return eachLine(ctx, m.name, m, parseSetting, r.takeSetting)
	}
	_, err := io.Copy(io.Discard, m)
	return err
}

// accessLine is an entry that is a locale, a role or a permission.
type accessLine struct {
	Type string `json:"type"`
	ID   rowRef `json:"id"`
	Data struct {
		Type   string `json:"type"`   // of a role
		Action string `json:"action"` // of a permission
	} `json:"data"`
	locale settings.Locale
}

// parseAccess reads an entry that is a locale, a role or a permission; the type is empty
// for others.
func parseAccess(line []byte, number int) (a accessLine) {
	a.locale = parseLocale(line, number)
	if err := json.Unmarshal(line, &a); err != nil || a.Type != schema.RoleUID && a.Type != permissionUID {
		a.Type = ""
	}
	return a
}

func (r *siteReader) takeAccess(a accessLine) error {
	switch a.Type {
	case schema.RoleUID:
		r.roles[uint64(a.ID)] = a.Data.Type
	case permissionUID:
		r.actions[uint64(a.ID)] = a.Data.Action
	}
	return r.takeLocale(a.locale)
}

// parseGrant reads a link between a permission and a role; the field is empty for others.
func parseGrant(line []byte, _ int) (l linkLine) {
	if json.Unmarshal(line, &l) != nil || l.Left.Type != permissionUID || l.Left.Field != "role" {
		return linkLine{}
	}
	return l
}

func (r *siteReader) takeGrant(l linkLine) error {
	if l.Left.Field != "" {
		role := uint64(l.Right.Ref)
		r.granted[role] = append(r.granted[role], uint64(l.Left.Ref))
	}
	return nil
}

// grants are the permissions of roles in an archive: rows of permissions, and links from
// them to rows of roles.
type grants struct {
	actions map[uint64]string   // by row of the permission
	granted map[uint64][]uint64 // permissions by row of the role
}

func newGrants() grants {
	return grants{actions: map[uint64]string{}, granted: map[uint64][]uint64{}}
}

// permissions returns the names of the permissions of a role, sorted.
func (g *grants) permissions(role uint64) []string {
	var names []string
	for _, row := range g.granted[role] {
		if action := g.actions[row]; action != "" {
			names = append(names, action)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
