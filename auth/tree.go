package auth

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"quire/content/body"
	"quire/schema"
)

// Tree is a list of permissions in the form of Strapi's endpoints: by API or plugin,
// controller and action.
//
//	{"api::dish": {"controllers": {"dish": {"find": {"enabled": true, "policy": ""}}}}}
type Tree map[string]Branch

// Branch has the controllers of one API or plugin.
type Branch struct {
	Controllers map[string]map[schema.Action]Leaf `json:"controllers"`
}

// Leaf says whether an action is allowed.
type Leaf struct {
	Enabled bool   `json:"enabled"`
	Policy  string `json:"policy"` // always empty: policies are code, which a site does not have
}

// NewTree lists every permission of the site, enabled if the caller has it.
func NewTree(site *schema.Site, has func(Permission) bool) Tree {
	t := Tree{}
	for _, p := range AllPermissions(site) {
		// "api::dish.dish" is the controller dish in the group api::dish.
		dot := strings.LastIndexByte(p.UID, '.')
		group, controller := p.UID[:dot], p.UID[dot+1:]
		if t[group].Controllers == nil {
			t[group] = Branch{map[string]map[schema.Action]Leaf{}}
		}
		actions := t[group].Controllers[controller]
		if actions == nil {
			actions = map[schema.Action]Leaf{}
			t[group].Controllers[controller] = actions
		}
		actions[p.Action] = Leaf{Enabled: has(p)}
	}
	return t
}

// ReadTree returns the permissions that a tree enables. One that the site does not have is
// a *body.ValidationError that names it.
func ReadTree(site *schema.Site, data json.RawMessage) ([]Permission, error) {
	var t Tree
	if json.Unmarshal(data, &t) != nil {
		return nil, refusePermissions(`permissions must look like {"api::dish": {"controllers": {"dish": {"find": {"enabled": true}}}}}`)
	}
	known := AllPermissions(site)
	var granted []Permission
	var unknown []string
	for group, branch := range t {
		for controller, actions := range branch.Controllers {
			for action, leaf := range actions {
				p := Permission{group + "." + controller, action}
				switch {
				case !slices.Contains(known, p):
					unknown = append(unknown, p.String())
				case leaf.Enabled:
					granted = append(granted, p)
				}
			}
		}
	}
	if unknown != nil {
		slices.Sort(unknown)
		return nil, refusePermissions(fmt.Sprintf("Unknown permissions provided: %s", strings.Join(unknown, ", ")))
	}
	return granted, nil
}

func refusePermissions(message string) error {
	return &body.ValidationError{Issues: []body.Issue{{Path: []string{"permissions"}, Message: message}}}
}
