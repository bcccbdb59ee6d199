package schema

import (
	"embed"
	"fmt"

	"quire/schema/source"
)

// The built-in types are schema files too, and the same code reads them. They have Strapi's
// attributes in Strapi's order, without creators.
//
//go:embed builtin/*.json
var builtIn embed.FS

const userFile = "src/extensions/users-permissions/content-types/user/schema.json"

func (l *loader) readBuiltIn() {
	l.addType(l.builtIn("builtin/file.json", FileUID))
	l.addType(l.builtIn("builtin/folder.json", FolderUID))
	l.addType(l.builtIn("builtin/role.json", RoleUID))
	user := l.builtIn("builtin/user.json", UserUID)
	for _, a := range user.Attributes {
		l.accountNames[a.Name] = true
	}
	if o, ok := l.openFile(userFile, UserUID); ok {
		user = l.extendUser(user, o)
	}
	l.addType(user)
	l.refuseOtherExtensions()
}

func (l *loader) builtIn(file, uid string) *Type {
	data, err := builtIn.ReadFile(file)
	if err != nil {
		l.unreadable(file, err)
	}
	o, _ := source.Parse(file, data, l.problems)
	t := l.readContentType(o)
	t.File, t.UID, t.BuiltIn = "", uid, true
	return t
}

// extendUser reads the site's own user type. As in Strapi its attributes are those of the
// file. But signing in and privacy need the built-in ones: an attribute that the file
// leaves out is added at the end; one that it declares keeps its type, and stays private,
// required and unique if the built-in one is.
func (l *loader) extendUser(base *Type, o source.Object) *Type {
	t := newType(o)
	t.UID, t.Kind, t.BuiltIn = UserUID, Collection, true
	t.Singular, t.Plural, t.Display = base.Singular, base.Plural, base.Display
	if o.Object("options").Flag("draftAndPublish", false) {
		o.RefuseAt("options", "users have no drafts", "remove draftAndPublish")
	}
	if readLocalized(o) {
		o.RefuseAt("pluginOptions", "users are not localized", "remove i18n")
	}
	t.declareSystem()
	l.readAttributes(t, o)
	for _, b := range base.Attributes {
		l.ensureBuiltIn(t, b)
	}
	hideOfType(t, o)
	return t
}

// ensureBuiltIn makes sure that t has the built-in attribute b. It reports an attribute of
// the file that cannot take the place of b, and uses b for the rest of the loading, so that
// links to it are not reported as well.
func (l *loader) ensureBuiltIn(t *Type, b *Attribute) {
	a := t.Attribute(b.Name)
	if a == nil {
		t.declare(b)
		return
	}
	a.Private = a.Private || b.Private
	a.Required = a.Required || b.Required
	a.Unique = a.Unique || b.Unique
	a.Unsearchable = a.Unsearchable || b.Unsearchable
	own, built := l.declared[a], l.declared[b]
	switch {
	case a.Kind == 0: // reported already
	case a.Kind != b.Kind:
		own.at.RefuseAt("type", fmt.Sprintf("signing in needs this attribute to be of type %q", b.Kind), "restore the type")
	case b.Kind == RelationKind && !sameRelation(a, b, own, built):
		own.refuse("signing in needs this relation as it is built in",
			`restore it: "relation": "manyToOne", "target": "`+RoleUID+`", "inversedBy": "users"`)
	default:
		return
	}
	b.Owner, b.Pos = t, a.Pos
	t.Attributes[a.Pos] = b
	t.byName[b.Name] = b
}

func sameRelation(a, b *Attribute, own, built *declaration) bool {
	return a.Relation != nil && a.Relation.Form == b.Relation.Form &&
		own.target == built.target && own.inversedBy == built.inversedBy && own.mappedBy == ""
}

// refuseOtherExtensions reports extensions of plugin types other than the user type:
// ignoring them would lose their attributes silently.
func (l *loader) refuseOtherExtensions() {
	const root = "src/extensions"
	for _, plugin := range l.listFolder(root, true) {
		dir := root + "/" + plugin + "/content-types"
		for _, name := range l.listFolder(dir, true) {
			file := dir + "/" + name + "/schema.json"
			if file == userFile || !l.exists(file) {
				continue
			}
			l.problems.Add(source.Problem{
				File:    file,
				Message: "extends a type that cannot be extended here",
				Fix:     "move its attributes to a content type of your own and remove the file; only users can be extended",
			})
		}
	}
}
