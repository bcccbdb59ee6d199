package archive

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"unicode"

	"quire/schema"
)

// foreignSchemas are Strapi's own types in every archive of strapiVersion. Strapi's import
// compares them with its own.
//
//go:embed strapi_schemas.jsonl
var foreignSchemas []byte

// schemaLines returns the function that writes the schemas of the site in the form of an
// archive.
func (x *exporter) schemaLines() (func(context.Context, *spool) error, error) {
	var lines [][]byte
	for line := range bytes.Lines(foreignSchemas) {
		line = bytes.TrimSpace(line)
		if user := x.Site.Type(schema.UserUID); user.File != "" && bytes.Contains(line, []byte(`"uid":"`+schema.UserUID+`"`)) {
			var err error
			if line, err = x.schemaLine(user); err != nil {
				return nil, err
			}
		}
		lines = append(lines, line)
	}
	for t := range x.Site.Served() {
		line, err := x.schemaLine(t)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	for _, t := range x.Site.Components {
		line, err := x.schemaLine(t)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return func(_ context.Context, s *spool) error {
		for _, line := range lines {
			if err := s.line(line); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// schemaLine returns a schema file with the additions of Strapi.
func (x *exporter) schemaLine(t *schema.Type) ([]byte, error) {
	text, err := fs.ReadFile(x.Folder, t.File)
	if err != nil {
		return nil, err
	}
	file, err := jsonMembers(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	attributes, err := jsonMembers(memberOf(file, "attributes"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	collection := tableName(t, memberOf(file, "collectionName"))
	o := beginObject(nil)
	o.text("collectionName", collection)
	for _, key := range []string{"info", "options", "pluginOptions"} {
		value := memberOf(file, key)
		if key == "options" {
			value = schemaOptions(t, value)
		}
		if value != nil {
			o.raw(key, value)
		}
	}
	if !t.IsComponent() {
		attributes = append(attributes, systemAttributes(t, collection)...)
	}
	o.raw("attributes", joinMembers(attributes))
	o.model(t)
	var line bytes.Buffer
	if err := json.Compact(&line, o.end()); err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	return line.Bytes(), nil
}

// schemaOptions returns the options of the schema file. Strapi adds to those of a content
// type whether it has drafts.
func schemaOptions(t *schema.Type, given json.RawMessage) json.RawMessage {
	list, err := jsonMembers(given)
	if err != nil {
		list = nil // there are none
	}
	if !t.IsComponent() && memberOf(list, "draftAndPublish") == nil {
		list = append(list, jsonMember{"draftAndPublish", json.RawMessage(fmt.Sprint(t.DraftAndPublish))})
	}
	return joinMembers(list)
}

// model appends Strapi's names of the type.
func (o *object) model(t *schema.Type) {
	name, prefix := t.Singular, ""
	switch {
	case t.IsComponent():
		group, own, _ := strings.Cut(t.UID, ".")
		name, prefix = own, "component "+group+" "
	case t.Kind == schema.Single:
		o.text("kind", "singleType")
	default:
		o.text("kind", "collectionType")
	}
	if t.IsComponent() {
		o.text("modelType", "component")
	} else {
		o.text("modelType", "contentType")
	}
	o.text("modelName", name)
	o.text("uid", t.UID)
	if t.UID == schema.UserUID {
		o.text("plugin", "users-permissions")
		prefix = "users permissions "
	}
	o.text("globalId", pascal(prefix+name))
}

// tableName returns the name in the schema file, or Strapi's default.
func tableName(t *schema.Type, given json.RawMessage) string {
	var name string
	if json.Unmarshal(given, &name) == nil && name != "" {
		return name
	}
	if t.IsComponent() {
		return "components_" + strings.NewReplacer(".", "_", "-", "_").Replace(t.UID) + "s"
	}
	return strings.ReplaceAll(t.Plural, "-", "_")
}

// pascal joins words in the form of class names: "food-guide" becomes "FoodGuide".
func pascal(words string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(words, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// systemAttributes returns the attributes that Strapi adds to a content type.
func systemAttributes(t *schema.Type, collection string) []jsonMember {
	private := fmt.Sprint(!t.Localized)
	by := `{"type":"relation","relation":"oneToOne","target":"admin::user","configurable":false,"writable":false,"visible":false,"useJoinTable":false,"private":true}`
	localizations := beginObject(nil)
	localizations.text("type", "relation")
	localizations.text("relation", "oneToMany")
	localizations.text("target", t.UID)
	for _, flag := range [][2]string{{"writable", "false"}, {"private", private}, {"configurable", "false"}, {"visible", "false"}, {"unstable_virtual", "true"}} {
		localizations.raw(flag[0], []byte(flag[1]))
	}
	join := beginObject(nil)
	join.text("name", "document_id")
	join.text("referencedColumn", "document_id")
	join.text("referencedTable", collection)
	localizations.raw("joinColumn", join.end())
	return []jsonMember{
		{"createdAt", json.RawMessage(`{"type":"datetime"}`)},
		{"updatedAt", json.RawMessage(`{"type":"datetime"}`)},
		{"publishedAt", json.RawMessage(`{"type":"datetime","configurable":false,"writable":true,"visible":true}`)},
		{"createdBy", json.RawMessage(by)},
		{"updatedBy", json.RawMessage(by)},
		{"locale", json.RawMessage(`{"writable":true,"private":` + private + `,"configurable":false,"visible":false,"type":"string"}`)},
		{"localizations", localizations.end()},
	}
}
