package settings

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"quire/schema/source"
)

// AdminOpenID has the settings of site.json under "admin.openid": the provider at which
// people sign in to the admin, and the roles that they get.
type AdminOpenID struct {
	Provider IdentityProvider // it has an issuer
	Label    string           // of the button, 1 to 60 characters
	Roles    AdminRoles

	Create      bool // people without an account get one when they first sign in
	Link        bool // people sign in to an existing account with the address that the provider has verified
	TrustFactor bool // a second factor that the provider reports is enough
}

// AdminRoles says which role of the admin a person gets. A role is the id of a built-in
// one, for example "editor", or the name of one of the site's own.
type AdminRoles struct {
	Claim   string        // the claim that decides; empty for none
	Map     []RoleOfValue // the first one with a value of the claim decides
	All     bool          // all of those with a value of the claim decide
	Default string        // for people without a matching value; empty to refuse them
}

// RoleOfValue is the role of people for whom the provider sends a value.
type RoleOfValue struct{ Value, Role string }

const (
	longestLabel = 60  // characters
	mostMapped   = 200 // values
	longestGroup = 200 // bytes of a value
)

// readOpenID reads "openid": {"issuer": ..., "clientId": ..., "label": ..., "roles": {...}}.
func (a *Admin) readOpenID(config source.Object) {
	if _, ok := config.Get("openid"); !ok {
		return
	}
	o := config.Object("openid")
	e := &AdminOpenID{
		Provider: readIdentityProvider("admin", o, "label", "roles", "createAccounts", "linkAccounts", "trustSecondFactor"),
		Label:    textOr(o, "label", "OpenID Connect"),
		Create:   o.Flag("createAccounts", false), Link: o.Flag("linkAccounts", false), TrustFactor: o.Flag("trustSecondFactor", false),
	}
	if e.Provider.Issuer == "" {
		o.RefuseAt("issuer", "is missing", `write the issuer of the provider, such as "https://login.example.org"`)
	}
	checkShortName(o.At("label"), e.Label, longestLabel)
	e.Roles.read(o.Object("roles"))
	if e.Create && e.Roles.Claim == "" && e.Roles.Default == "" {
		o.RefuseAt("createAccounts", "needs roles for the accounts", `write "roles": {"default": "reader"}, or a claim and a map`)
	}
	a.OpenID = e
}

// read reads "roles": {"claim": "groups", "map": {"writers": "editor"}, "default": "reader"}.
func (r *AdminRoles) read(o source.Object) {
	o.Only("claim", "map", "all", "default")
	r.Claim, r.Default, r.All = o.Text("claim"), o.Text("default"), o.Flag("all", false)
	if r.Claim != "" && !memberName.MatchString(r.Claim) {
		o.RefuseAt("claim", "is not the name of a claim", `write one such as "groups" or "realm_access.roles"`)
	}
	if r.Default != "" {
		checkShortName(o.At("default"), r.Default, longestName)
	}
	m := o.Object("map")
	if len(m.Members) > mostMapped {
		m.Refuse(fmt.Sprintf("has %d values, more than %d", len(m.Members), mostMapped), "remove some")
		return
	}
	for _, one := range m.Members {
		role, ok := one.Text()
		if !ok {
			continue
		}
		if one.Key == "" || len(one.Key) > longestGroup {
			one.Refuse("is of a value without bytes, or with more than 200", "name a value as the provider does")
		}
		checkShortName(one.Value, role, longestName)
		r.Map = append(r.Map, RoleOfValue{one.Key, role})
	}
	if (r.Claim == "") != (len(r.Map) == 0) {
		o.Refuse("has a claim without a map, or a map without a claim", `write both, as in {"claim": "groups", "map": {"writers": "editor"}}`)
	}
}

// checkShortName reports a text that is not a readable name in one line.
func checkShortName(v source.Value, name string, most int) {
	if n := utf8.RuneCountInString(name); n == 0 || n > most || strings.ContainsFunc(name, unicode.IsControl) || strings.TrimSpace(name) != name {
		v.Refuse(fmt.Sprintf("must be a text of 1 to %d characters in one line", most), `write a name such as "Editor"`)
	}
}
