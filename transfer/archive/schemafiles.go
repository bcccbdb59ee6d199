package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"quire/schema"
	"quire/schema/settings"
)

// SchemaFiles makes the schema files of a site from the content types and components in an
// archive, and a site.json with its locales: the text of each by its path in the site
// folder. The report has what a site cannot have.
func SchemaFiles(ctx context.Context, path, key string) (map[string][]byte, *Report, error) {
	w := &schemaWriter{container: &container{path: path, key: key}, files: map[string][]byte{}, report: &Report{}}
	if err := w.each(ctx, func(m member) error { return w.member(ctx, m) }); err != nil {
		return nil, nil, err
	}
	for _, a := range w.schemas {
		if err := w.write(a); err != nil {
			return nil, nil, &FormatError{path, "has a schema that cannot be taken over", err}
		}
	}
	if len(w.files) == 0 {
		return nil, nil, &FormatError{File: path, Problem: "has no schemas; is it an archive of Strapi?"}
	}
	w.writeSite()
	return w.files, w.report, nil
}

// schemaWriter turns the schemas of an archive into files.
type schemaWriter struct {
	*container
	schemas []archivedSchema
	locales []settings.Locale
	first   string // the default locale
	files   map[string][]byte
	report  *Report
}

func (w *schemaWriter) member(ctx context.Context, m member) error {
	folder, file, _ := strings.Cut(m.name, "/")
	if !strings.HasSuffix(file, ".jsonl") {
		return nil
	}
	switch folder {
	case "schemas":
		return eachLine(ctx, m.name, m, parseSchema, w.takeSchema)
	case "entities":
		return eachLine(ctx, m.name, m, parseLocale, w.takeLocale)
	case "configuration":
		return eachLine(ctx, m.name, m, parseSetting, w.takeSetting)
	}
	_, err := io.Copy(io.Discard, m)
	return err
}

func (w *schemaWriter) takeSchema(a archivedSchema) error {
	if a.err != nil {
		return &FormatError{w.path, "has a schema that cannot be read", a.err}
	}
	w.schemas = append(w.schemas, a)
	return nil
}

// parseLocale reads an entry that is a locale; the code is empty for others.
func parseLocale(line []byte, _ int) settings.Locale {
	if !bytes.Contains(line, []byte(localeUID)) {
		return settings.Locale{}
	}
	var e struct {
		Type string          `json:"type"`
		Data settings.Locale `json:"data"`
	}
	if json.Unmarshal(line, &e) != nil || e.Type != localeUID {
		return settings.Locale{}
	}
	return e.Data
}

func (w *schemaWriter) takeLocale(l settings.Locale) error {
	if l.Code != "" {
		w.locales = append(w.locales, l)
	}
	return nil
}

// takeSetting looks for the default locale, which is a text, or a text in JSON.
func (w *schemaWriter) takeSetting(c setting) error {
	if c.Value.Key == "plugin_i18n_default_locale" {
		var code string
		if json.Unmarshal(c.Value.Value, &code) == nil {
			w.first = strings.Trim(code, `"`)
		}
	}
	return nil
}

var (
	apiUID       = regexp.MustCompile(`^api::([A-Za-z0-9][A-Za-z0-9_-]*)\.([A-Za-z0-9][A-Za-z0-9_-]*)$`)
	componentUID = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_-]*)\.([A-Za-z0-9][A-Za-z0-9_-]*)$`)
)

// write makes the file of one type. It omits types of the admin panel and of plugins,
// except users with additional attributes.
func (w *schemaWriter) write(a archivedSchema) error {
	var file string
	switch {
	case apiUID.MatchString(a.UID):
		part := apiUID.FindStringSubmatch(a.UID)
		file = fmt.Sprintf("src/api/%s/content-types/%s/schema.json", part[1], part[2])
	case a.UID == schema.UserUID && w.extended(a):
		file = "src/extensions/users-permissions/content-types/user/schema.json"
	case isForeign(a.UID):
		return nil
	case componentUID.MatchString(a.UID):
		part := componentUID.FindStringSubmatch(a.UID)
		file = fmt.Sprintf("src/components/%s/%s.json", part[1], part[2])
	default:
		return fmt.Errorf("%q is not the uid of a content type or component", a.UID)
	}
	text, err := w.schemaFile(a)
	if err == nil {
		w.files[file] = text
	}
	return err
}

// fileKeys are the members of a schema file, in their usual order.
var fileKeys = []string{"kind", "collectionName", "info", "options", "pluginOptions", "attributes"}

func (w *schemaWriter) schemaFile(a archivedSchema) ([]byte, error) {
	var out []jsonMember
	for _, key := range fileKeys {
		value := memberOf(a.members, key)
		if key == "attributes" {
			var err error
			if value, err = w.attributes(a); err != nil {
				return nil, fmt.Errorf("%s: %w", a.UID, err)
			}
		}
		if value != nil {
			out = append(out, jsonMember{key, value})
		}
	}
	var text bytes.Buffer
	err := json.Indent(&text, joinMembers(out), "", "  ")
	text.WriteByte('\n')
	return text.Bytes(), err
}

// attributes returns the attributes that the schema file declares.
func (w *schemaWriter) attributes(a archivedSchema) (json.RawMessage, error) {
	all, err := jsonMembers(memberOf(a.members, "attributes"))
	if err != nil {
		return nil, err
	}
	var own []jsonMember
	for _, m := range all {
		var relation struct {
			Target string `json:"target"`
		}
		switch _ = json.Unmarshal(m.value, &relation); {
		case slices.Contains(addedAttributes, m.key) && a.ModelType != "component":
		case isForeign(relation.Target) && !slices.Contains(builtIn, relation.Target):
			w.report.leave("attribute "+a.UID+"."+m.key, 1, "there is no "+relation.Target+" here")
		default:
			own = append(own, m)
		}
	}
	return joinMembers(own), nil
}

// addedAttributes are the attributes that Strapi adds to every content type.
var addedAttributes = []string{"createdAt", "updatedAt", "publishedAt", "createdBy", "updatedBy", "locale", "localizations"}

var builtIn = []string{schema.FileUID, schema.FolderUID, schema.UserUID, schema.RoleUID}

// userAttributes are the attributes of users that every site has.
var userAttributes = []string{"username", "email", "provider", "password", "resetPasswordToken", "confirmationToken", "confirmed", "blocked", "role"}

func (w *schemaWriter) extended(a archivedSchema) bool {
	all, _ := jsonMembers(memberOf(a.members, "attributes"))
	return slices.ContainsFunc(all, func(m jsonMember) bool {
		return !slices.Contains(addedAttributes, m.key) && !slices.Contains(userAttributes, m.key)
	})
}

// joinMembers is the inverse of jsonMembers.
func joinMembers(list []jsonMember) json.RawMessage {
	out := []byte("{")
	for i, m := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendText(out, m.key)
		out = append(out, ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// writeSite writes site.json.
func (w *schemaWriter) writeSite() {
	if len(w.locales) == 0 {
		w.files["site.json"] = []byte("{}\n")
		return
	}
	if w.first == "" {
		w.first = w.locales[0].Code
	}
	out := []byte("{\n  \"i18n\": {\n    \"defaultLocale\": ")
	out = appendText(out, w.first)
	out = append(out, ",\n    \"locales\": [\n"...)
	for i, l := range w.locales {
		out = append(out, "      { \"code\": "...)
		out = appendText(out, l.Code)
		out = append(out, ", \"name\": "...)
		out = appendText(out, l.Name)
		out = append(out, " }"...)
		if i < len(w.locales)-1 {
			out = append(out, ',')
		}
		out = append(out, '\n')
	}
	w.files["site.json"] = append(out, "    ]\n  }\n}\n"...)
}
