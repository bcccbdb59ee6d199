package schema

import (
	"embed"
	"fmt"
)

// The built-in types are schema files too, with the attributes of the
// reference in its order, so that they are read by the same rules. What the
// reference keeps for its admin panel (folders, creators) is left out.
//
//go:embed builtin/*.json
var builtIn embed.FS

const userFile = "src/extensions/users-permissions/content-types/user/schema.json"

func (l *loader) readBuiltIn() {
	l.addType(l.builtIn("builtin/file.json", FileUID))
	l.addType(l.builtIn("builtin/role.json", RoleUID))
	user := l.builtIn("builtin/user.json", UserUID)
	for _, a := range user.Attributes {
		l.account[a.Name] = true
	}
	if o, ok := l.open(userFile, UserUID); ok {
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
	o, _ := parseFile(file, data, l.problems)
	t := l.readContentType(o)
	t.File, t.UID, t.BuiltIn = "", uid, true
	return t
}

// extendUser reads the site's own user type. As in the reference its
// attributes are the file's. But what signing in and privacy rest on cannot be
// lost: a built-in attribute that the file leaves out is added behind, one that
// it names keeps its type and stays private, required and unique where it was.
func (l *loader) extendUser(base *Type, o object) *Type {
	t := newType(o)
	t.UID, t.Kind, t.BuiltIn = UserUID, Collection, true
	t.Singular, t.Plural, t.Display = base.Singular, base.Plural, base.Display
	if o.object("options").flag("draftAndPublish", false) {
		o.refuseAt("options", "users have no drafts", "remove draftAndPublish")
	}
	if localized(o) {
		o.refuseAt("pluginOptions", "users are not localized", "remove i18n")
	}
	t.declareSystem()
	l.readAttributes(t, o)
	for _, b := range base.Attributes {
		l.keep(t, b)
	}
	hideListed(t, o)
	return t
}

// keep makes sure of one built-in attribute. Where the file's own is unfit, the
// built-in one takes its place for the rest of the reading, so that what links
// to it is not reported as well.
func (l *loader) keep(t *Type, b *Attribute) {
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
		own.at.refuseAt("type", fmt.Sprintf("signing in needs this attribute to be of type %q", b.Kind), "restore the type")
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

// refuseOtherExtensions reports extended types of plugins other than the user
// type: ignoring them would lose their attributes without a word.
func (l *loader) refuseOtherExtensions() {
	const root = "src/extensions"
	for _, plugin := range l.names(root, true) {
		dir := root + "/" + plugin + "/content-types"
		for _, name := range l.names(dir, true) {
			file := dir + "/" + name + "/schema.json"
			if file == userFile || !l.exists(file) {
				continue
			}
			l.problems.add(Problem{
				File:    file,
				Message: "extends a type that cannot be extended here",
				Fix:     "move its attributes to a content type of your own and remove the file; only users can be extended",
			})
		}
	}
}
