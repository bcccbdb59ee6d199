package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"quire/schema/source"
)

// Shown is a setting as the admin and commands show it.
type Shown struct {
	Key   string `json:"key"`   // path in site.json: "limits.bodyBytes"
	Value any    `json:"value"` // a text, a number, a boolean or a list of texts; null for none, and if it is withheld
	Unit  string `json:"unit"`  // of numbers: "bytes", "seconds", "days", or none
	Set   bool   `json:"set"`   // site.json sets it, otherwise it is the default
	Kept  bool   `json:"kept"`  // its value is not shown
}

// ShownGroup is a group of related settings.
type ShownGroup struct {
	Name     string  `json:"name"`
	Settings []Shown `json:"settings"`
}

// Given lists the paths that site.json sets; for a list only the path of the list.
func Given(config source.Object) map[string]bool {
	given := map[string]bool{}
	note(given, "", config.Raw)
	return given
}

func note(given map[string]bool, path string, raw json.RawMessage) {
	var members map[string]json.RawMessage
	if path != "" {
		given[path] = true
		path += "."
	}
	if json.Unmarshal(raw, &members) != nil {
		return
	}
	for key, value := range members {
		note(given, path+key, value)
	}
}

// Show lists the settings that people may see. given are the paths that site.json sets.
// Show names each setting: others are not shown.
func (s *Settings) Show(given map[string]bool) []ShownGroup {
	groups := []ShownGroup{
		{"locales", s.showLocales()},
		{"rest", []Shown{{Key: "rest.defaultLimit", Value: s.DefaultLimit}, {Key: "rest.maxLimit", Value: s.MaxLimit}, {Key: "rest.withCount", Value: s.WithCount}}},
		{"graphql", s.GraphQL.show()},
		{"mcp", s.MCP.show()},
		{"code", s.Code.show()},
		{"limits", s.Limits.show()},
		{"rates", s.showRates()},
		{"signIn", append([]Shown{{Key: "url", Value: textOrNone(s.URL)}}, s.Accounts.show()...)},
		{"admin", s.Admin.show()},
		{"uploads", s.Upload.show()},
		{"storage", s.Upload.showStorage()},
		{"pictures", s.Upload.Pictures.show()},
		{"keeping", s.showKeeping()},
		{"types", []Shown{{Key: "roles", Value: keys(s.Roles)}, {Key: "defaults", Value: keys(s.Defaults)}, {Key: "cache", Value: keys(s.Cache)}}},
		{"beside", s.showBeside()},
		{"mail", []Shown{{Key: "mail.smtp", Kept: true}, {Key: "mail.from", Value: textOrNone(s.Mail.From)}}},
	}
	for _, g := range groups {
		for i := range g.Settings {
			g.Settings[i].Set = given[g.Settings[i].Key]
		}
	}
	return groups
}

// showBeside shows the processes beside the site: their names and paths. Their addresses
// are withheld.
func (s *Settings) showBeside() []Shown {
	hooks, paths := []string{}, []string{}
	for _, h := range s.Hooks {
		hooks = append(hooks, h.Name)
	}
	for _, r := range s.Proxy {
		paths = append(paths, r.Prefix)
	}
	return []Shown{{Key: "hooks", Value: hooks}, {Key: "proxy", Value: paths}}
}

func (s *Settings) showLocales() []Shown {
	names := []string{}
	for _, l := range s.Locales {
		names = append(names, fmt.Sprintf("%s: %s", l.Code, l.Name))
	}
	return []Shown{{Key: "i18n.defaultLocale", Value: s.DefaultLocale}, {Key: "i18n.locales", Value: names}}
}

func (l *Limits) show() []Shown {
	return []Shown{
		inBytes("limits.bodyBytes", l.BodyBytes), inBytes("limits.urlBytes", int64(l.URLBytes)),
		{Key: "limits.depth", Value: l.Depth}, {Key: "limits.conditions", Value: l.Conditions},
		{Key: "limits.populateEntries", Value: l.PopulateEntries}, {Key: "limits.populateDepth", Value: l.PopulateDepth},
		{Key: "limits.responseEntries", Value: l.ResponseEntries}, inBytes("limits.responseBytes", int64(l.ResponseBytes)),
		{Key: "limits.writeLinks", Value: l.WriteLinks},
		{Key: "limits.batchRequests", Value: l.BatchRequests}, inBytes("limits.batchBytes", l.BatchBytes), inBytes("limits.importBytes", l.ImportBytes),
		inSeconds("limits.querySeconds", l.QueryTime), {Key: "limits.heavyCost", Value: l.HeavyCost}, {Key: "limits.heavyQueries", Value: numberOrNone(l.HeavyQueries)},
		inBytes("limits.memory", l.Memory), {Key: "limits.indexMemory", Value: numberOrNone(int(l.IndexMemory)), Unit: "bytes"},
		{Key: "limits.connections", Value: l.Connections}, {Key: "limits.requests", Value: l.Requests},
		{Key: "limits.streams", Value: l.Streams}, {Key: "limits.streamsPerAddress", Value: l.StreamsPerAddress},
	}
}

func (s *Settings) showRates() []Shown {
	of := &s.RateLimit
	rates := []Shown{
		{Key: "auth.rateLimit.enabled", Value: of.Enabled}, {Key: "auth.rateLimit.max", Value: of.Max}, inSeconds("auth.rateLimit.interval", of.Interval),
		{Key: "rateLimit.max", Value: numberOrNone(s.Rate.Max)}, {Key: "rateLimit.interval"}, {Key: "rateLimit.burst"},
	}
	if s.Rate.Max > 0 {
		rates[4], rates[5].Value = inSeconds("rateLimit.interval", s.Rate.Interval), s.Rate.Burst
	}
	return rates
}

func (a *Accounts) providerNames() []string {
	names := []string{}
	for i := range a.Providers {
		names = append(names, a.Providers[i].Name)
	}
	return names
}

func (a *Accounts) show() []Shown {
	return []Shown{
		{Key: "auth.register.enabled", Value: a.Register.Enabled}, {Key: "auth.register.role", Value: a.Register.Role},
		{Key: "auth.register.allowedFields", Value: texts(a.Register.Fields)},
		{Key: "auth.confirmation.required", Value: a.Confirmation.Required},
		{Key: "auth.confirmation.url", Value: textOrNone(withoutValues(a.Confirmation.URL))},
		{Key: "auth.confirmation.redirect", Value: textOrNone(withoutValues(a.Confirmation.Redirect))},
		{Key: "auth.reset.url", Value: textOrNone(withoutValues(a.ResetURL))},
		inSeconds("auth.jwt.lifetime", a.JWTLifetime),
		{Key: "auth.refresh.enabled", Value: a.Refresh.Enabled}, inSeconds("auth.refresh.access", a.Refresh.Access),
		inSeconds("auth.refresh.idle", a.Refresh.Idle), inSeconds("auth.refresh.longest", a.Refresh.Longest),
		{Key: "auth.trustedProxies", Value: written(a.Proxies)}, {Key: "auth.providers", Value: a.providerNames()},
	}
}

func (a *Admin) show() []Shown {
	second := any("optional")
	if a.SecondFactor {
		second = "required"
	} else if len(a.FactorRoles) > 0 {
		second = texts(a.FactorRoles)
	}
	editing := Shown{Key: "admin.schemaEditing"}
	if a.SchemaEditing != nil {
		editing.Value = *a.SchemaEditing
	}
	homes := []string{}
	for _, role := range slices.Sorted(maps.Keys(a.Homes)) {
		homes = append(homes, fmt.Sprintf("%s: %d", role, len(a.Homes[role])))
	}
	shown := []Shown{{Key: "admin.enabled", Value: a.Enabled}, {Key: "admin.networks", Value: written(a.Networks)}, {Key: "admin.secondFactor", Value: second}, editing, {Key: "admin.passwords", Value: a.Passwords},
		{Key: "admin.home", Value: homes},
		{Key: "admin.rateLimit.max", Value: a.RateLimit.Max}, inSeconds("admin.rateLimit.interval", a.RateLimit.Interval)}
	return append(append(shown, a.Model.show()...), a.OpenID.show()...)
}

// show shows who may sign in by a provider. The claim and its mapping are shown: they are
// names of groups and roles, not secrets.
func (e *AdminOpenID) show() []Shown {
	if e == nil {
		e = &AdminOpenID{}
	}
	mapped := []string{}
	for _, m := range e.Roles.Map {
		mapped = append(mapped, fmt.Sprintf("%s: %s", m.Value, m.Role))
	}
	return []Shown{
		{Key: "admin.openid.issuer", Value: textOrNone(e.Provider.Issuer)}, {Key: "admin.openid.clientId", Value: textOrNone(e.Provider.ClientID)},
		{Key: "admin.openid.scopes", Value: texts(e.Provider.Scopes)}, {Key: "admin.openid.label", Value: textOrNone(e.Label)},
		{Key: "admin.openid.roles.claim", Value: textOrNone(e.Roles.Claim)}, {Key: "admin.openid.roles.map", Value: mapped},
		{Key: "admin.openid.roles.all", Value: e.Roles.All}, {Key: "admin.openid.roles.default", Value: textOrNone(e.Roles.Default)},
		{Key: "admin.openid.createAccounts", Value: e.Create}, {Key: "admin.openid.linkAccounts", Value: e.Link},
		{Key: "admin.openid.trustSecondFactor", Value: e.TrustFactor},
	}
}

func (u *Upload) show() []Shown {
	return []Shown{
		inBytes("upload.sizeLimit", u.SizeLimit), {Key: "upload.allow", Value: texts(u.Allow)}, {Key: "upload.deny", Value: texts(u.Deny)},
		inSeconds("upload.privateSeconds", u.PrivateLife),
	}
}

func (p *Pictures) show() []Shown {
	qualities := []string{}
	for _, q := range p.Qualities {
		qualities = append(qualities, fmt.Sprint(q))
	}
	return []Shown{
		{Key: "upload.pictures.sizes", Value: written(p.Sizes)}, {Key: "upload.pictures.qualities", Value: qualities},
		{Key: "upload.pictures.formats", Value: texts(p.Formats)}, {Key: "upload.pictures.signed", Value: p.Signed},
		inBytes("upload.pictures.cacheBytes", p.CacheBytes),
	}
}

// showKeeping shows how long things are kept. The folder of backups is withheld, because it
// is a path of the machine.
func (s *Settings) showKeeping() []Shown {
	slow := inSeconds("log.slowMs", s.Log.Slow)
	slow.Value = s.Log.Slow.Seconds()
	return append([]Shown{
		{Key: "history.versions", Value: s.History.Versions}, {Key: "history.days", Value: int(s.History.Age / day), Unit: "days"},
		inSeconds("events.retention", s.Events.Retention), inBytes("events.megabytes", s.Events.Bytes), {Key: "events.allowPrivate", Value: written(s.Events.AllowPrivate)},
		inSeconds("audit.retention", s.Audit.Retention), {Key: "search.countMissed", Value: s.Search.CountMissed},
		s.Cluster.show()[0], s.Cluster.show()[1],
		{Key: "backup.schedule", Value: textOrNone(s.Backup.Schedule)}, {Key: "backup.folder", Kept: true}, {Key: "backup.keep", Value: s.Backup.Keep}, {Key: "backup.files", Value: s.Backup.Files},
		slow,
	}, append(s.Backup.Stream.show(), s.Streams.show()...)...)
}

func inBytes(key string, n int64) Shown { return Shown{Key: key, Value: n, Unit: "bytes"} }

func inSeconds(key string, d time.Duration) Shown {
	return Shown{Key: key, Value: int64(d / time.Second), Unit: "seconds"}
}

func numberOrNone(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

func textOrNone(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// keys returns the sorted keys of a map, for example the uids that have roles or defaults.
func keys[V any](of map[string]V) []string {
	return append([]string{}, slices.Sorted(maps.Keys(of))...)
}

func texts(list []string) []string { return append([]string{}, list...) }

func written[T fmt.Stringer](list []T) []string {
	out := []string{}
	for _, one := range list {
		out = append(out, one.String())
	}
	return out
}

// ShownPreview is where the front end shows the documents of a type.
type ShownPreview struct {
	UID     string `json:"uid"`
	Address string `json:"address"` // without the parameter values that are the same for all
}

// ShowPreviews lists the addresses of previews by uid.
func (s *Settings) ShowPreviews() []ShownPreview {
	list := []ShownPreview{}
	for uid, a := range s.Previews {
		list = append(list, ShownPreview{uid, withoutValues(a.String())})
	}
	slices.SortFunc(list, func(a, b ShownPreview) int { return cmp.Compare(a.UID, b.UID) })
	return list
}

// withoutValues returns an address without the values of its parameters and its fragment,
// except placeholders: front ends have secrets there.
func withoutValues(address string) string {
	address, fragment, hasFragment := strings.Cut(address, "#")
	path, query, hasQuery := strings.Cut(address, "?")
	if hasQuery {
		parts := strings.Split(query, "&")
		for i, part := range parts {
			name, value, hasValue := strings.Cut(part, "=")
			switch {
			case hasValue && !isPlaceholder(value):
				parts[i] = name + "=…"
			case !hasValue && !isPlaceholder(name):
				parts[i] = "…"
			}
		}
		path += "?" + strings.Join(parts, "&")
	}
	switch {
	case hasFragment && isPlaceholder(fragment):
		path += "#" + fragment
	case hasFragment:
		path += "#…"
	}
	return path
}

// isPlaceholder reports whether a text is exactly one placeholder of an address.
func isPlaceholder(text string) bool {
	name, ended := strings.CutSuffix(text, "}")
	name, begun := strings.CutPrefix(name, "{")
	return begun && ended && !strings.ContainsAny(name, "{}") && url.PathEscape(name) == name
}
