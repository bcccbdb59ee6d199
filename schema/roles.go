package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Action is one thing that a role or token may be allowed to do with a type.
type Action string

const (
	Find      Action = "find"
	FindOne   Action = "findOne"
	Create    Action = "create"
	Update    Action = "update"
	Delete    Action = "delete"
	ReadDraft Action = "readDraft"
)

// RolePermissions maps a uid to the actions allowed on it. The uid is that of a
// content type or of a plugin's own endpoints, "plugin::users-permissions.auth".
type RolePermissions map[string][]Action

// Access tells what a caller may do. It is asked while a query is compiled and
// a body is decoded, never while either runs.
type Access interface {
	// Allows reports whether the caller may perform the action on the type.
	// Find is also what populating, filtering, sorting or linking through a
	// relation to the type needs.
	Allows(t *Type, a Action) bool
}

var (
	typeActions = []Action{Find, FindOne, Create, Update, Delete, ReadDraft}

	pluginUID = regexp.MustCompile(`^plugin::[a-z0-9-]+\.[a-z0-9-]+$`)
	roleType  = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{2,}$`)
	pluginAct = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)
)

// readPermissions reads "roles": {"public": {"api::a.a": ["find"]}}.
func (l *loader) readPermissions() {
	for _, role := range l.config.object("roles").members {
		if !roleType.MatchString(role.key) {
			role.refuse(fmt.Sprintf("%q cannot be the type of a role", role.key), roleTypeFix)
		}
		uids, _ := role.object()
		permissions := RolePermissions{}
		for _, m := range uids.members {
			permissions[m.key] = l.readActions(m)
		}
		l.site.Settings.Roles[role.key] = permissions
	}
}

// readActions reads the actions on one uid. Those on content types are known;
// plugin endpoints have names of their own.
func (l *loader) readActions(m member) []Action {
	plugin := pluginUID.MatchString(m.key)
	if !plugin && !l.typeExists(m) {
		return nil
	}
	var actions []Action
	for _, w := range m.words() {
		action := Action(w.text)
		switch {
		case plugin && !pluginAct.MatchString(w.text):
			w.refuse(fmt.Sprintf("%q cannot be the name of an action", w.text), "use letters and digits")
		case !plugin && !slices.Contains(typeActions, action):
			w.refuse(fmt.Sprintf("%q is not an action on a content type", w.text), "use "+joinActions(typeActions))
		default:
			actions = append(actions, action)
		}
	}
	return actions
}

// typeExists reports whether the key is the uid of a content type of the site.
func (l *loader) typeExists(m member) bool {
	t := l.site.Type(m.key)
	switch {
	case l.broken[m.key]:
		return false
	case t == nil:
		m.refuse(fmt.Sprintf("there is no content type %q", m.key), "correct the uid or add the content type")
		return false
	case t.IsComponent():
		m.refuse(fmt.Sprintf("%q is a component, not a content type", m.key), "name a content type")
		return false
	}
	return true
}

// roleTypeFix tells what the type of a role looks like. Three characters is what
// the name of a role has at least.
const roleTypeFix = "use three or more lower-case letters, digits, - and _"

func joinActions(actions []Action) string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = string(a)
	}
	return strings.Join(names, ", ")
}
