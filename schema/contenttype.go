package schema

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"quire/schema/source"
)

// readContentTypes reads src/api/<api>/content-types/<name>/schema.json.
func (l *loader) readContentTypes() {
	for _, api := range l.listFolder("src/api", true) {
		dir := path.Join("src/api", api, "content-types")
		for _, name := range l.listFolder(dir, true) {
			prefix := "api::" + api + "."
			file := path.Join(dir, name, "schema.json")
			o, ok := l.openFile(file, prefix+name)
			if !ok {
				continue
			}
			if !folderName.MatchString(api) {
				o.Refuse(fmt.Sprintf("the folder name %q cannot be part of a uid", api), "use letters, digits, - and _")
			}
			t := l.readContentType(o)
			t.UID = prefix + t.Singular
			if t.Singular == "" {
				t.UID = prefix + name
			}
			hideOfType(t, o)
			l.addType(t)
		}
	}
}

// readContentType reads everything except the uid, which comes from the folder.
func (l *loader) readContentType(o source.Object) *Type {
	t := newType(o)
	t.Kind = readTypeKind(o)
	readInfo(t, o)
	t.DraftAndPublish = o.Object("options").Flag("draftAndPublish", false)
	t.Localized = readLocalized(o)
	t.PluginOptions = bytes.Clone(o.Object("pluginOptions").Raw)
	t.declareSystem()
	l.readAttributes(t, o)
	return t
}

func newType(o source.Object) *Type {
	return &Type{File: o.File, byName: map[string]*Attribute{}}
}

func readTypeKind(o source.Object) TypeKind {
	switch kind := o.Text("kind"); kind {
	case "collectionType", "":
		return Collection
	case "singleType":
		return Single
	default:
		o.RefuseAt("kind", fmt.Sprintf("%q is not a kind of content type", kind), `write "collectionType" or "singleType"`)
		return Collection
	}
}

// readInfo reads the names of a content type.
func readInfo(t *Type, o source.Object) {
	info := o.Object("info")
	t.Singular = readRouteName(info, "singularName")
	t.Plural = readRouteName(info, "pluralName")
	if t.Singular != "" && t.Singular == t.Plural {
		info.RefuseAt("pluralName", "is the same as singularName", "use two different names; both are part of the API")
	}
	t.Display, t.Description = info.Text("displayName"), info.Text("description")
	if t.Display == "" {
		t.Display = t.Singular
	}
}

func readRouteName(info source.Object, key string) string {
	v, ok := info.Get(key)
	if !ok {
		info.RefuseAt(key, "is missing", `write a name such as "article" or "blog-post"`)
		return ""
	}
	name, ok := v.Text()
	if ok && !routeName.MatchString(name) {
		v.Refuse(fmt.Sprintf("%q cannot be part of a path", name), "use lower-case letters and digits, words joined by -")
		return ""
	}
	return name
}

// readLocalized reads pluginOptions.i18n.localized of a content type or an attribute.
func readLocalized(o source.Object) bool {
	return o.Object("pluginOptions").Object("i18n").Flag("localized", false)
}

// readComponents reads src/components/<group>/<name>.json.
func (l *loader) readComponents() {
	for _, group := range l.listFolder("src/components", true) {
		dir := path.Join("src/components", group)
		for _, file := range l.listFolder(dir, false) {
			name, ok := strings.CutSuffix(file, ".json")
			if !ok {
				continue
			}
			uid := group + "." + name
			if o, ok := l.openFile(path.Join(dir, file), uid); ok {
				l.readComponent(o, group, name, uid)
			}
		}
	}
}

func (l *loader) readComponent(o source.Object, group, name, uid string) {
	for _, s := range []string{group, name} {
		if !folderName.MatchString(s) {
			o.Refuse(fmt.Sprintf("%q cannot be part of a uid", s), "use letters, digits, - and _ in the names of the folder and the file")
		}
	}
	t := newType(o)
	t.UID = uid
	t.Kind = ComponentType
	info := o.Object("info")
	t.Display, t.Description, t.Icon = info.Text("displayName"), info.Text("description"), info.Text("icon")
	if t.Display == "" {
		t.Display = name
	}
	t.declareSystem()
	l.readAttributes(t, o)
	hideOfType(t, o)
	l.addType(t)
}

// addType adds a type to the site, under its uid.
func (l *loader) addType(t *Type) {
	if first := l.site.byUID[t.UID]; first != nil {
		l.problems.Add(source.Problem{
			File:    t.File,
			Place:   "info.singularName",
			Message: fmt.Sprintf("%s is already declared in %s", t.UID, first.File),
			Fix:     "give one of the two another singularName",
		})
		return
	}
	l.site.byUID[t.UID] = t
	if t.IsComponent() {
		l.site.Components = append(l.site.Components, t)
	} else {
		l.site.Types = append(l.site.Types, t)
	}
}
