package settings

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"quire/schema/source"
)

// Settings has all settings of site.json. The zero value must not be used: see [Default].
type Settings struct {
	// URL is where people reach the site, "https://cms.example.org", without a slash at its
	// end; empty if site.json does not set it.
	URL string

	DefaultLocale string
	Locales       []Locale // in the order of site.json; the default locale is among them

	DefaultLimit int  // entries a page if the request does not set it, 25
	MaxLimit     int  // maximum of entries a page, 100
	WithCount    bool // whether totals are counted if the request does not set it

	Limits Limits

	// Roles maps the type of a role ("public", "authenticated", own) to its permissions.
	Roles map[string]RolePermissions

	// Defaults has the parameters that a read of a type uses if the request lacks them:
	// populate, sort, fields and pagination in JSON form, by content-type uid. The keys in
	// ReadActions have objects of these, for one action.
	Defaults map[string]map[string]json.RawMessage

	// Cache is how long a public response may be kept without asking again, by content-type
	// uid. Responses of other types must be revalidated each time.
	Cache map[string]time.Duration

	// Previews is where the front end shows documents, by content-type uid.
	Previews map[string]PreviewAddress

	RateLimit RateLimit   // of the endpoints of the API that take passwords or send mail
	Rate      RequestRate // of all
	Accounts  Accounts
	Admin     Admin
	Mail      Mail
	Upload    Upload
	Log       Log
	Backup    Backup
	Streams   StoredStreams
	History   History
	Cluster   Cluster
	Events    Events
	Audit     Audit
	GraphQL   GraphQL
	Code      Code
	MCP       MCP
	Search    Search
	Webhooks  []Webhook
	Hooks     []Hook       // called in this order
	Proxy     []ProxyRoute // the longest prefixes first
}

// Default returns the settings of a site without site.json.
func Default() Settings {
	return Settings{
		DefaultLocale: english.Code,
		Locales:       []Locale{english},
		DefaultLimit:  25,
		MaxLimit:      100,
		WithCount:     true,
		Limits:        defaultLimits(),
		Roles:         map[string]RolePermissions{},
		Defaults:      map[string]map[string]json.RawMessage{},
		RateLimit:     defaultRateLimit(),
		Accounts: Accounts{
			Register:    Register{Enabled: true, Role: "authenticated"},
			JWTLifetime: 30 * day,
			Refresh:     Refresh{Access: 10 * time.Minute, Idle: 7 * day, Longest: 30 * day},
		},
		Admin: Admin{Enabled: true, Passwords: true, RateLimit: defaultRateLimit()},
		Mail: Mail{
			Reset: MailTemplate{
				Subject: "Choose a new password",
				Text: "Hello {username},\n\nsomebody, hopefully you, wants to choose a new password for your account. " +
					"This is the way:\n\n{link}\n\nIt works once, within an hour. If it was not you, there is nothing to do.\n",
			},
			Confirmation: MailTemplate{
				Subject: "Confirm your address",
				Text:    "Hello {username},\n\nplease confirm that this is your address:\n\n{link}\n\nIt works within three days.\n",
			},
		},
		Upload:  Upload{SizeLimit: defaultSizeLimit, Serve: ServeHere, Pictures: defaultPictures(), PrivateLife: defaultPrivateSeconds * time.Second},
		Log:     Log{Slow: time.Second},
		Backup:  Backup{Keep: 7, Stream: CommitStream{Queue: 1 << 30}},
		Streams: StoredStreams{Bytes: 100 << 30},
		History: History{Versions: 100, Age: 90 * day},
		Cluster: defaultCluster(),
		Events:  Events{Retention: 7 * day, Bytes: 1 << 30},
		Audit:   Audit{Retention: 365 * day},
		GraphQL: GraphQL{Endpoint: "/graphql", DepthLimit: 10, DefaultLimit: 10, MaxLimit: -1, AmountLimit: -1, Introspection: true},
		Code:    Code{Enabled: true, Memory: 256},
		MCP:     MCP{Tools: QuireTools, Limits: MCPLimits{Calls: 240, Documents: 10_000, Bytes: 32 << 20, Answer: 48 << 10}},
	}
}

// Read reads the settings of site.json that do not name content types. Missing ones keep
// their default. What is not valid is added to the problems of config.
func Read(config source.Object) Settings {
	s := Default()
	config.Only("url", "i18n", "rest", "limits", "roles", "defaults", "auth", "mail",
		"responses", "customFields", "upload", "cache", "log", "backup", "rateLimit", "history",
		"cluster", "events", "webhooks", "hooks", "proxy", "preview", "admin", "audit", "graphql", "code", "mcp", "search", "streams")
	s.readURL(config)
	s.readLocales(config.Object("i18n"))
	s.readREST(config.Object("rest"))
	s.Limits.read(config.Object("limits"))
	s.Rate.read(config.Object("rateLimit"))
	s.readAccounts(config.Object("auth"))
	s.Admin.read(config.Object("admin"))
	if s.Admin.OpenID != nil {
		s.requireURL(config.Object("admin"), "openid")
	}
	s.Mail.read(config.Object("mail"))
	s.Upload.read(config.Object("upload"))
	s.Log.read(config.Object("log"))
	s.Backup.read(config.Object("backup"))
	s.Streams.read(config.Object("streams"))
	s.History.read(config.Object("history"))
	s.Cluster.read(config.Object("cluster"))
	s.Events.read(config.Object("events"))
	s.Audit.read(config.Object("audit"))
	s.GraphQL.read(config.Object("graphql"))
	s.Code.read(config.Object("code"))
	s.MCP.read(config.Object("mcp"))
	s.readProxy(config)
	config.Object("responses").Only("privateAttributes")
	return s
}

// readREST reads "rest": {"defaultLimit": 25, "maxLimit": 100, "withCount": true}.
func (s *Settings) readREST(o source.Object) {
	o.Only("defaultLimit", "maxLimit", "withCount")
	s.DefaultLimit = o.Whole("defaultLimit", 1, s.DefaultLimit)
	s.MaxLimit = o.Whole("maxLimit", 1, s.MaxLimit)
	s.WithCount = o.Flag("withCount", s.WithCount)
	if s.DefaultLimit > s.MaxLimit {
		o.RefuseAt("defaultLimit", fmt.Sprintf("%d is more than maxLimit %d", s.DefaultLimit, s.MaxLimit), "lower it or raise maxLimit")
	}
}

// Log has the settings of site.json under "log".
type Log struct {
	// Slow is the time after which a request is logged as slow, with where the time went, 1
	// second; 0 for never.
	Slow time.Duration
}

// read reads "log": {"slowMs": 1000}.
func (l *Log) read(o source.Object) {
	o.Only("slowMs")
	if ms := o.Whole("slowMs", 0, int(l.Slow.Milliseconds())); ms <= longestSlow {
		l.Slow = time.Duration(ms) * time.Millisecond
	} else {
		o.RefuseAt("slowMs", "is longer than a day", "lower it; it is in milliseconds, and 0 switches it off")
	}
}

const longestSlow = int(day / time.Millisecond)

// readURL reads "url": where people reach the site, "https://cms.example.org". It must not
// have a query, and a slash at its end is removed. It is "" if site.json does not set it.
func (s *Settings) readURL(config source.Object) {
	v, ok := config.Get("url")
	if !ok {
		return
	}
	text, ok := v.Text()
	if !ok {
		return
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		v.Refuse("is not a web address", `write where people reach the site, such as "https://cms.example.org"`)
	case len(text) > longestAddress || u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#") || hasDots(u.EscapedPath()):
		v.Refuse("has a query, a fragment or a step . or .., or is too long", `write where people reach the site, such as "https://cms.example.org"`)
	default:
		s.URL = strings.TrimRight(text, "/")
	}
}

// requireURL reports that a setting at the key needs the address of the site if there is
// none.
func (s *Settings) requireURL(o source.Object, key string) {
	if s.URL == "" {
		o.RefuseAt(key, "needs the address at which people reach the site", `write "url": "https://cms.example.org" at the top of site.json`)
	}
}
