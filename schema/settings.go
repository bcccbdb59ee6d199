package schema

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"quire/schema/settings"
	"quire/schema/source"
)

const siteFile = "site.json"

// readSettings reads the parts of site.json that do not depend on the content
// types.
func (l *loader) readSettings() {
	config, ok := l.openFile(siteFile, siteFile)
	if !ok {
		return
	}
	l.config = config
	l.site.Settings, l.site.Given = settings.Read(config), settings.Given(config)
	l.readCustomFields(config.Object("customFields"))
}

// readCustomFields reads "customFields": {"plugin::color-picker.color": "string"},
// the type of a plugin's field, for schema files that only name the field.
func (l *loader) readCustomFields(o source.Object) {
	for _, m := range o.Members {
		name, ok := m.Text()
		if !ok {
			continue
		}
		kind, ok := kindNamed(name)
		if !ok || !(&Attribute{Kind: kind}).IsScalar() {
			m.Refuse(fmt.Sprintf("%q is not a type that a custom field can have", name), "use a plain type, such as string, json or integer")
			continue
		}
		l.custom[m.Key] = kind
	}
}

// readTypeSettings reads the parts of site.json that name content types, once
// these are known.
func (l *loader) readTypeSettings() {
	var actions []string
	for _, a := range (&Type{DraftAndPublish: true}).Actions() {
		actions = append(actions, string(a))
	}
	l.site.Settings.ReadByType(l.config, settings.Types{Exists: l.typeExists, Actions: actions, Coded: l.isCoded})
	l.readRegisterFields()
	l.readPreviews()
	l.site.Settings.ReadHomes(l.config, func(uid string) bool {
		t := l.site.Type(uid)
		return l.broken[uid] || t != nil && !t.IsComponent() && t.Kind == Collection
	})
}

// isCoded reports whether the project has controllers or routes of its own for a uid.
func (l *loader) isCoded(uid string) bool {
	api, _, named := strings.Cut(strings.TrimPrefix(uid, "api::"), ".")
	if !named || !strings.HasPrefix(uid, "api::") || !l.site.Settings.Code.Enabled {
		return false
	}
	for _, folder := range []string{"controllers", "routes"} {
		if list, err := fs.ReadDir(l.fsys, path.Join("src/api", api, folder)); err == nil && len(list) > 0 {
			return true
		}
	}
	return false
}

// typeExists reports whether the key is the uid of a content type of the site. Any other
// key is a problem, unless its file already has one.
func (l *loader) typeExists(m source.Member) bool {
	t := l.site.Type(m.Key)
	switch {
	case l.broken[m.Key]:
		return false
	case t == nil:
		m.Refuse(fmt.Sprintf("there is no content type %q", m.Key), "correct the uid or add the content type")
		return false
	case t.IsComponent():
		m.Refuse(fmt.Sprintf("%q is a component, not a content type", m.Key), "name a content type")
		return false
	}
	return true
}

// readRegisterFields reads which attributes of users a registration may set: not built-in,
// private or system attributes.
func (l *loader) readRegisterFields() {
	fields := &l.site.Settings.Accounts.Register.Fields
	user := l.site.Type(UserUID)
	if user == nil || l.broken[UserUID] {
		return
	}
	for _, w := range l.config.Object("auth").Object("register").Words("allowedFields") {
		a := user.Attribute(w.Text)
		switch {
		case a == nil || a.System != NotSystem:
			w.Refuse(fmt.Sprintf("users have no attribute %q", w.Text), "correct the name or remove it")
		case a.Hidden() || l.accountNames[w.Text]:
			w.Refuse(fmt.Sprintf("%q cannot be set by people who register", w.Text), "name an attribute that the site's own user type adds and that is not private")
		default:
			*fields = append(*fields, w.Text)
		}
	}
}
