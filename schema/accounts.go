package schema

import (
	"fmt"
	"net/netip"
	"time"
)

// Accounts is what site.json says under "auth" about the accounts of users,
// rate limits aside.
type Accounts struct {
	Register     Register
	Confirmation Confirmation
	ResetURL     string        // page of the front end that takes the code of a reset; empty when there is none
	JWTLifetime  time.Duration // of a session without refresh tokens, 30 days
	Refresh      Refresh

	// Proxies are the addresses whose X-Forwarded-For is believed; none by default.
	Proxies []netip.Prefix
}

// Register says who may make an account.
type Register struct {
	Enabled bool     // true
	Role    string   // type of the role that new users get, "authenticated"
	Fields  []string // attributes of users that may be given beside username, email and password
}

// Confirmation says whether an address must be confirmed before its user may
// sign in.
type Confirmation struct {
	Required bool
	URL      string // of /api/auth/email-confirmation, as people reach it
	Redirect string // where people land once they have confirmed; empty for nowhere
}

// Refresh is short sessions that a refresh token prolongs.
type Refresh struct {
	Enabled bool
	Access  time.Duration // of a JWT, 10 minutes
	Idle    time.Duration // a session ends when it is not prolonged for so long, 7 days
	Longest time.Duration // a session ends at last, 30 days
}

const day = 24 * time.Hour

func defaultAccounts() Accounts {
	return Accounts{
		Register:    Register{Enabled: true, Role: "authenticated"},
		JWTLifetime: 30 * day,
		Refresh:     Refresh{Access: 10 * time.Minute, Idle: 7 * day, Longest: 30 * day},
	}
}

// readAccounts reads "auth": {"register": ..., "jwt": ..., "rateLimit": ...}.
func (s *Settings) readAccounts(o object) {
	o.only("register", "confirmation", "reset", "jwt", "refresh", "rateLimit", "trustedProxies")
	a := &s.Accounts
	a.Register.read(o.object("register"))
	a.Confirmation.read(o.object("confirmation"))
	reset := o.object("reset")
	reset.only("url")
	a.ResetURL = reset.webAddress("url")
	jwt := o.object("jwt")
	jwt.only("lifetime")
	a.JWTLifetime = jwt.duration("lifetime", longestSession, a.JWTLifetime)
	a.Refresh.read(o.object("refresh"))
	s.RateLimit.read(o.object("rateLimit"))
	a.Proxies = o.addresses("trustedProxies")
}

const longestSession = 3650 * day

func (r *Register) read(o object) {
	o.only("enabled", "role", "allowedFields")
	r.Enabled = o.flag("enabled", r.Enabled)
	if v, ok := o.get("role"); ok {
		role, ok := v.text()
		if ok && !roleType.MatchString(role) {
			v.refuse(fmt.Sprintf("%q cannot be the type of a role", role), roleTypeFix)
		}
		r.Role = role
	}
}

func (c *Confirmation) read(o object) {
	o.only("required", "url", "redirect")
	c.Required = o.flag("required", false)
	c.URL = o.webAddress("url")
	c.Redirect = o.webAddress("redirect")
}

func (r *Refresh) read(o object) {
	o.only("enabled", "access", "idle", "longest")
	r.Enabled = o.flag("enabled", false)
	r.Access = o.duration("access", longestSession, r.Access)
	r.Idle = o.duration("idle", longestSession, r.Idle)
	r.Longest = o.duration("longest", longestSession, r.Longest)
}

// readRegisterFields reads which attributes registering may set. That cannot be
// those on which rights and privacy rest.
func (l *loader) readRegisterFields() {
	fields := &l.site.Settings.Accounts.Register.Fields
	user := l.site.Type(UserUID)
	if user == nil || l.broken[UserUID] {
		return
	}
	for _, w := range l.config.object("auth").object("register").words("allowedFields") {
		a := user.Attribute(w.text)
		switch {
		case a == nil || a.System != NotSystem:
			w.refuse(fmt.Sprintf("users have no attribute %q", w.text), "correct the name or remove it")
		case a.Hidden() || l.account[w.text]:
			w.refuse(fmt.Sprintf("%q is not for people to set who register", w.text), "name an attribute that the site's own user type adds and that is not private")
		default:
			*fields = append(*fields, w.text)
		}
	}
}
