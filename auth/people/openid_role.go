package people

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits of the claim that decides a role.
const (
	mostValues   = 1000 // of a claim
	longestValue = 1000 // bytes
)

// decision is the roles that the claims give.
type decision struct {
	roles   []string // ids; nil for none
	managed bool     // the claims decide at each sign-in; otherwise an account keeps its roles
	why     string
}

func (d *decision) refusal() error { return &OpenIDError{NoRole, d.why} }

// decide finds the roles that the claims give. Errors are *OpenIDError and the store's.
func (a *providerSignIn) decide() (d decision, err error) {
	roles := &a.policy.Roles
	d = decision{managed: roles.Claim != "", why: "nothing that the provider says gives a role"}
	var names []string
	if d.managed {
		values, err := valuesOf(a.person.Role)
		if err != nil {
			return d, &OpenIDError{BadClaim, fmt.Sprintf("the claim %q %v", roles.Claim, err)}
		}
		for _, m := range roles.Map {
			if slices.Contains(values, m.Value) && !slices.Contains(names, m.Role) && (roles.All || names == nil) {
				names = append(names, m.Role)
			}
		}
	}
	if names == nil && roles.Default != "" {
		names = []string{roles.Default}
	}
	if len(names) > mostRolesOf {
		return d, &OpenIDError{NoRole, fmt.Sprintf("the provider gives %d roles, and an account has at most %d", len(names), mostRolesOf)}
	}
	for _, name := range names {
		role, err := a.roleNamed(name)
		if err != nil {
			return d, err
		}
		if !slices.Contains(d.roles, role.ID) {
			d.roles = append(d.roles, role.ID)
		}
	}
	return d, nil
}

// valuesOf reads the claim that decides a role: a text, or a list of texts.
func valuesOf(raw json.RawMessage) (values []string, err error) {
	var said any
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &said); err != nil {
			return nil, err
		}
	}
	list, isList := said.([]any)
	switch {
	case said == nil:
		return nil, nil
	case !isList:
		list = []any{said}
	}
	for _, one := range list {
		text, isText := one.(string)
		if !isText {
			return nil, errors.New("is neither a text nor a list of texts")
		}
		values = append(values, text)
	}
	if len(values) > mostValues || slices.ContainsFunc(values, func(v string) bool { return len(v) > longestValue }) {
		return nil, fmt.Errorf("has more than %d values, or one with more than %d bytes", mostValues, longestValue)
	}
	return values, nil
}

// roleNamed returns the role that site.json names: by the id of a built-in one, or by the
// name of one of the site's own. Errors are *OpenIDError and the store's.
func (a *providerSignIn) roleNamed(name string) (*Role, error) {
	for _, r := range builtIn() {
		if r.ID == strings.ToLower(name) {
			return r, nil
		}
	}
	var found []*Role
	err := a.Records(rolesBucket, func(id string, value []byte) error {
		if r, err := readRole(id, value); err == nil && r.Name == name {
			found = append(found, r)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(found) != 1:
		return nil, &OpenIDError{NoRole, fmt.Sprintf("there are %d roles with the name %q, which site.json gives", len(found), name)}
	}
	return found[0], nil
}

// applyRoles gives the account the decided roles. If there are none, the account loses its roles,
// its sessions end, and failure says so. The last owner stays one.
func (a *providerSignIn) applyRoles(d decision) error {
	next, former := &record{}, a.record.roles()
	next.setRoles(d.roles)
	if !d.managed || d.roles != nil && slices.Equal(next.roles(), former) {
		return nil
	}
	details := map[string]string{"role": idsOf(next.roles()), "former role": idsOf(former), "provider": a.person.Issuer}
	if d.roles == nil {
		details["role"] = "none"
	}
	if a.record.isOwner() && !next.isOwner() {
		var last *RefusedError
		if err := a.keepsOwner(a.id); errors.As(err, &last) {
			a.directory.log.Warn("the last owner stays an owner, although the provider assigns another role", "account", a.id, "role", details["role"])
			return nil
		} else if err != nil {
			return err
		}
	}
	if d.roles == nil {
		a.failure = d.refusal()
		if former == nil {
			return nil
		}
		if err := endAccess(a.Tx, a.id, ""); err != nil {
			return err
		}
	}
	a.record.setRoles(d.roles)
	return errors.Join(a.record.put(a.Tx, a.id), a.noteSelf("account.update", details))
}
