package settings

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"quire/schema/source"
)

// Accounts has the settings of site.json under "auth" for the accounts of users, except
// rate limits.
type Accounts struct {
	Register     Register
	Confirmation Confirmation
	ResetURL     string        // page of the front end that takes the code of a reset; empty if there is none
	JWTLifetime  time.Duration // of a session without refresh tokens, 30 days
	Refresh      Refresh

	// Proxies are the addresses whose X-Forwarded-For is trusted; none by default.
	Proxies []netip.Prefix

	Providers []UserProvider // in the order of site.json
}

// Register says who may create an account.
type Register struct {
	Enabled bool     // true
	Role    string   // type of the role that new users get, "authenticated"
	Fields  []string // attributes of users that a registration may set in addition to username, email and password
}

// Confirmation says whether users must confirm their address before they may sign in.
type Confirmation struct {
	Required bool
	URL      string // of /api/auth/email-confirmation, as people reach it
	Redirect string // page of the front end to which people are redirected after confirming; empty for none
}

// Refresh configures sessions whose short JWTs are renewed by a refresh token.
type Refresh struct {
	Enabled bool
	Access  time.Duration // of a JWT, 10 minutes
	Idle    time.Duration // a session ends if it has not been renewed for this long, 7 days
	Longest time.Duration // a session ends after this time in any case, 30 days
}

const day = 24 * time.Hour

// readAccounts reads "auth": {"register": ..., "jwt": ..., "rateLimit": ...}.
func (s *Settings) readAccounts(o source.Object) {
	o.Only("register", "confirmation", "reset", "jwt", "refresh", "rateLimit", "trustedProxies", "providers")
	a := &s.Accounts
	a.Register.read(o.Object("register"))
	a.Confirmation.read(o.Object("confirmation"))
	reset := o.Object("reset")
	reset.Only("url")
	a.ResetURL = readWebAddress(reset, "url")
	jwt := o.Object("jwt")
	jwt.Only("lifetime")
	a.JWTLifetime = readDuration(jwt, "lifetime", longestSession, a.JWTLifetime)
	a.Refresh.read(o.Object("refresh"))
	s.RateLimit.read(o.Object("rateLimit"))
	a.Proxies = readNetworks(o, "trustedProxies")
	s.readProviders(o)
}

// Admin has the settings of site.json under "admin".
type Admin struct {
	Enabled  bool           // true
	Networks []netip.Prefix // from which it can be reached; none means all

	// SecondFactor requires a second factor for all accounts; they may have one in any
	// case.
	SecondFactor bool

	// FactorRoles are the built-in roles whose accounts need a second factor if not all do.
	FactorRoles []string

	// Passwords allows accounts to sign in with passwords and passkeys: true. Without it,
	// people sign in with OpenID, or with links that are made on the machine.
	Passwords bool
	OpenID    *AdminOpenID // nil for none

	// RateLimit limits tries to sign in. It is always enabled.
	RateLimit RateLimit

	// Model makes suggestions for texts; nil for none.
	Model *Model

	// Homes are the first screens that differ from the usual one, by the id or the name of a
	// role. An account with several roles has that of the first one with one.
	Homes map[string][]HomePart

	// SchemaEditing is whether content types may be changed in the admin; nil if that
	// depends on how the site is served.
	SchemaEditing *bool
}

// read reads "admin": {"enabled": true, "networks": ["10.0.0.0/8"], "secondFactor": "required",
// "schemaEditing": true, "passwords": false, "openid": {...}, "rateLimit": {...}, "model": {...}}.
// ReadHomes reads "home".
func (a *Admin) read(o source.Object) {
	o.Only("enabled", "networks", "secondFactor", "schemaEditing", "passwords", "openid", "rateLimit", "home", "model")
	a.readModel(o)
	a.RateLimit.readAdmin(o.Object("rateLimit"))
	a.Passwords = o.Flag("passwords", true)
	a.readOpenID(o)
	if !a.Passwords && a.OpenID == nil {
		o.RefuseAt("passwords", "closes the only way to sign in", `write "openid" as well, or remove this`)
	}
	if _, ok := o.Get("schemaEditing"); ok {
		a.SchemaEditing = new(o.Flag("schemaEditing", false))
	}
	if v, ok := o.Get("secondFactor"); ok {
		a.readSecondFactor(v)
	}
	a.Enabled = o.Flag("enabled", a.Enabled)
	a.Networks = readNetworks(o, "networks")
}

// AdminRoleIDs are the ids of the roles of the admin that every site has.
var AdminRoleIDs = []string{"owner", "developer", "editor", "author", "reader"}

// readSecondFactor reads "required", "optional" or the built-in roles that need one.
func (a *Admin) readSecondFactor(v source.Value) {
	if v.Raw[0] == '[' {
		for _, w := range v.Words() {
			if !slices.Contains(AdminRoleIDs, w.Text) {
				w.Refuse(fmt.Sprintf("%.100q is not a built-in role of the admin", w.Text), "name some of "+strings.Join(AdminRoleIDs, ", ")+"; other roles have a setting of their own for the second factor")
			}
			a.FactorRoles = append(a.FactorRoles, w.Text)
		}
		return
	}
	text, ok := v.Text()
	if ok && text != "required" && text != "optional" {
		v.Refuse(fmt.Sprintf("%q is not a setting of the second factor", text), `write "required", "optional", or the roles that need one: ["owner"]`)
	}
	a.SecondFactor = text != "optional"
}

// Shows reports whether the admin can be reached from an address.
func (a *Admin) Shows(from netip.Addr) bool {
	from = from.Unmap().WithZone("")
	inside := func(p netip.Prefix) bool { return p.Contains(from) }
	return a.Enabled && (len(a.Networks) == 0 || slices.ContainsFunc(a.Networks, inside))
}

const longestSession = 3650 * day

func (r *Register) read(o source.Object) {
	o.Only("enabled", "role", "allowedFields")
	r.Enabled = o.Flag("enabled", r.Enabled)
	if v, ok := o.Get("role"); ok {
		role, ok := v.Text()
		if ok {
			checkRoleType(v, role)
		}
		r.Role = role
	}
}

func (c *Confirmation) read(o source.Object) {
	o.Only("required", "url", "redirect")
	c.Required = o.Flag("required", false)
	c.URL = readWebAddress(o, "url")
	c.Redirect = readWebAddress(o, "redirect")
}

func (r *Refresh) read(o source.Object) {
	o.Only("enabled", "access", "idle", "longest")
	r.Enabled = o.Flag("enabled", false)
	r.Access = readDuration(o, "access", longestSession, r.Access)
	r.Idle = readDuration(o, "idle", longestSession, r.Idle)
	r.Longest = readDuration(o, "longest", longestSession, r.Longest)
}
