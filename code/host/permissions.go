package host

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"quire/auth"
	"quire/content"
	"quire/schema"
	"quire/store"
)

// In Strapi a permission of a role is a row of its own, and projects make such rows when they
// start. Here a role has a list of them, which looks like these rows to the code.

// permissionUID is the type of these rows in Strapi.
const permissionUID = "plugin::users-permissions.permission"

// permission is one row: an action that a role may perform.
type permission struct {
	ID     int            `json:"id"`
	Action string         `json:"action"`
	Role   permissionRole `json:"role"`
}

type permissionRole struct {
	ID         uint64 `json:"id"`
	DocumentID string `json:"documentId"`
	Type       string `json:"type"`
	Name       string `json:"name"`

	actions []string
}

// onPermissions reports whether the call is about permissions.
func (c *call) onPermissions() bool { return c.text("uid") == permissionUID }

// roles returns all roles with what they may do, as the call sees them.
func (c *call) roles() (all []permissionRole) {
	for f := range c.snapshot().Lookup(c.service.Site.Type(schema.RoleUID), store.Published).All() {
		r := permissionRole{ID: f.ID(), DocumentID: f.DocumentID(), Type: f.Text("type"), Name: f.Text("name")}
		_ = json.Unmarshal([]byte(f.Text("permissions")), &r.actions) // an unreadable list allows nothing
		if listed, inSite := auth.ListedRoles(c.service.Site)[r.Type]; inSite {
			r.actions = listed
		}
		all = append(all, r)
	}
	return all
}

// permissions returns the rows that the conditions of the call find: on id, action and role.
func (c *call) permissions() (found []permission, err error) {
	var where struct {
		ID     *int
		Action json.RawMessage
		Role   json.RawMessage
	}
	if given := c.arguments["where"]; given != nil && string(given) != "null" {
		if err := json.Unmarshal(given, &where); err != nil {
			return nil, &Error{Name: "ValidationError", Message: "Permissions are found by id, action and role", Status: 400}
		}
	}
	id := 0
	for _, r := range c.roles() {
		for _, action := range r.actions {
			id++
			if (where.ID == nil || *where.ID == id) && isAmong(where.Action, action) && isRole(where.Role, r) {
				found = append(found, permission{id, action, r})
			}
		}
	}
	return found, nil
}

// isAmong reports whether a condition is met: a text, {"$eq": text} or {"$in": [texts]}.
func isAmong(condition json.RawMessage, text string) bool {
	if condition == nil {
		return true
	}
	var one string
	if json.Unmarshal(condition, &one) == nil {
		return one == text
	}
	var operators struct {
		Eq *string  `json:"$eq"`
		In []string `json:"$in"`
	}
	return json.Unmarshal(condition, &operators) == nil && (operators.Eq != nil && *operators.Eq == text || slices.Contains(operators.In, text))
}

// isRole reports whether a condition names a role: by its id, or {"id": …}, {"type": …}.
func isRole(condition json.RawMessage, r permissionRole) bool {
	if condition == nil {
		return true
	}
	var id uint64
	if json.Unmarshal(condition, &id) == nil {
		return id == r.ID
	}
	var by struct {
		ID         *uint64
		Type       json.RawMessage
		DocumentID *string
	}
	return json.Unmarshal(condition, &by) == nil && (by.ID != nil || by.Type != nil || by.DocumentID != nil) &&
		(by.ID == nil || *by.ID == r.ID) && isAmong(by.Type, r.Type) && (by.DocumentID == nil || *by.DocumentID == r.DocumentID)
}

func (c *call) findPermissions() ([]byte, error) {
	found, err := c.permissions()
	if err != nil {
		return nil, err
	}
	var page struct{ Offset, Limit *int }
	page.Offset, page.Limit = c.number("offset"), c.number("limit")
	found = found[min(*cmp.Or(page.Offset, new(int)), len(found)):]
	if page.Limit != nil {
		found = found[:min(*page.Limit, len(found))]
	}
	if found == nil {
		found = []permission{}
	}
	return json.Marshal(found)
}

// number returns an argument that is a whole number from 0; nil for none.
func (c *call) number(key string) *int {
	var n int
	if c.arguments[key] == nil || json.Unmarshal(c.arguments[key], &n) != nil || n < 0 {
		return nil
	}
	return &n
}

func (c *call) countPermissions() ([]byte, error) {
	found, err := c.permissions()
	return fmt.Append(nil, len(found)), err
}

// createPermission lets a role perform an action. A role that site.json sets stays as it is.
func (c *call) createPermission() ([]byte, error) {
	var data struct {
		Action string
		Role   json.RawMessage
	}
	if err := json.Unmarshal(c.arguments["data"], &data); err != nil {
		return nil, &Error{Name: "ValidationError", Message: "A permission has an action and a role", Status: 400}
	}
	if _, ok := auth.ParsePermission(data.Action); !ok {
		return nil, &Error{Name: "ValidationError", Message: fmt.Sprintf("%.100q is no action, such as api::article.article.find", data.Action), Status: 400}
	}
	for _, r := range c.roles() {
		if data.Role == nil || !isRole(data.Role, r) {
			continue
		}
		if _, inSite := c.service.Site.Settings.Roles[r.Type]; inSite {
			c.service.Log.Warn("the project's code cannot change a role that site.json sets", "role", r.Type, "action", data.Action)
		} else if !slices.Contains(r.actions, data.Action) {
			r.actions = append(r.actions, data.Action)
			if err := c.setActions(r); err != nil {
				return nil, err
			}
		}
		c.arguments = map[string]json.RawMessage{"where": fmt.Appendf(nil, `{"action": %q, "role": %d}`, data.Action, r.ID), "limit": json.RawMessage("1")}
		list, err := c.findPermissions()
		if err != nil || len(list) <= 2 {
			return []byte("null"), err
		}
		return list[1 : len(list)-1], nil
	}
	return nil, &Error{Name: "ValidationError", Message: "A permission needs the id of a role", Status: 400}
}

func (c *call) setActions(r permissionRole) error {
	t := c.service.Site.Type(schema.RoleUID)
	text, err := json.Marshal(map[string]any{"permissions": r.actions})
	if err != nil {
		return err
	}
	input, err := c.service.Writer.Owned(t, text)
	if err == nil {
		_, err = c.do(content.ToUpdate(content.Request{Type: t, DocumentID: r.DocumentID, Status: store.Published, Input: input}))
	}
	return err
}

// updatePermission gives a row another action or role. Strapi ignores what else is in the data, such
// as enabled, which versions before 4 had.
func (c *call) updatePermission() ([]byte, error) {
	id, data := c.arguments["id"], map[string]json.RawMessage{}
	if err := json.Unmarshal(c.arguments["data"], &data); err != nil {
		return nil, &Error{Name: "ValidationError", Message: "A permission has an action and a role", Status: 400}
	}
	c.arguments["where"] = fmt.Appendf(nil, `{"id": %s}`, id)
	found, err := c.permissions()
	if err != nil || len(found) == 0 {
		return []byte("null"), err
	}
	is := found[0]
	if data["action"] == nil && data["role"] == nil {
		return json.Marshal(is)
	}
	if data["action"] == nil {
		data["action"] = fmt.Appendf(nil, "%q", is.Action)
	}
	if data["role"] == nil {
		data["role"] = fmt.Append(nil, is.Role.ID)
	}
	if c.arguments["data"], err = json.Marshal(data); err != nil {
		return nil, err
	}
	made, err := c.createPermission() // refuses what is no permission, before anything is taken away
	if err != nil || is.same(made) {
		return made, err
	}
	return made, c.removeAction(is.Role.ID, is.Action)
}

// same reports whether a row as JSON is for the same action and role.
func (p permission) same(row []byte) bool {
	var other permission
	return json.Unmarshal(row, &other) == nil && other.Action == p.Action && other.Role.ID == p.Role.ID
}

// removeAction takes an action from a role. A role that site.json sets stays as it is.
func (c *call) removeAction(role uint64, action string) error {
	for _, r := range c.roles() {
		if _, inSite := c.service.Site.Settings.Roles[r.Type]; r.ID == role && !inSite {
			r.actions = slices.DeleteFunc(r.actions, func(is string) bool { return is == action })
			return c.setActions(r)
		}
	}
	return nil
}

// deletePermission takes an action from a role.
func (c *call) deletePermission() ([]byte, error) {
	c.arguments["where"] = fmt.Appendf(nil, `{"id": %s}`, c.arguments["id"])
	found, err := c.permissions()
	if err != nil || len(found) == 0 {
		return []byte("null"), err
	}
	return []byte("null"), c.removeAction(found[0].Role.ID, found[0].Action)
}
