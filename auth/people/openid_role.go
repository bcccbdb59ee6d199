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

// decision is the role that the claims give.
type decision struct {
	role    *Role // nil for none
	managed bool  // the claims decide at each sign-in; otherwise an account keeps its role
	why     string
}

func (d *decision) refusal() error { return &OpenIDError{NoRole, d.why} }

// decide finds the role that the claims give. Errors are *OpenIDError and the store's.
func (a *providerSignIn) decide() (d decision, err error) {
	roles := &a.policy.Roles
	d = decision{managed: roles.Claim != "", why: "nothing that the provider says gives a role"}
	name := roles.Default
	if d.managed {
		values, err := valuesOf(a.person.Role)
		if err != nil {
			return d, &OpenIDError{BadClaim, fmt.Sprintf("the claim %q %v", roles.Claim, err)}
		}
		for _, m := range slices.Backward(roles.Map) {
			if slices.Contains(values, m.Value) {
				name = m.Role // the first match counts
			}
		}
	}
	if name == "" {
		return d, nil
	}
	d.role, err = a.roleNamed(name)
	return d, err
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

// applyRole gives the account the decided role. If there is none, the account loses its role,
// its sessions end, and failure says so. The last owner stays one.
func (a *providerSignIn) applyRole(d decision) error {
	next := ""
	if d.role != nil {
		next = d.role.ID
	}
	if !d.managed || next == a.record.Role && next != "" {
		return nil
	}
	details := map[string]string{"role": next, "former role": a.record.Role, "provider": a.person.Issuer}
	if next == "" {
		details["role"] = "none"
	}
	if a.record.Role == owner {
		var last *RefusedError
		if err := a.keepsOwner(a.id); errors.As(err, &last) {
			a.directory.log.Warn("the last owner stays an owner, although the provider assigns another role", "account", a.id, "role", details["role"])
			return nil
		} else if err != nil {
			return err
		}
	}
	if next == "" {
		a.failure = d.refusal()
		if a.record.Role == "" {
			return nil
		}
		if err := endAccess(a.Tx, a.id, ""); err != nil {
			return err
		}
	}
	a.record.Role = next
	return errors.Join(a.record.put(a.Tx, a.id), a.noteSelf("account.update", details))
}
