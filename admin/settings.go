package admin

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"quire/admin/account"
	"quire/schema/settings"
)

// What site.json sets is shown, and changed in the file alone: it is under version control
// with the schemas, and read as a whole.

func settingsRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/settings", Right: account.Settings, handler: showSettings}}
}

// setting is one of the site, under the name that site.json has for it.
type setting struct {
	Key     string `json:"key"`     // such as "limits.bodyBytes"
	Value   string `json:"value"`   // as site.json would write it, empty for nothing
	Default bool   `json:"default"` // it is what holds without a site.json
}

func showSettings(x *exchange) error {
	list, usual := settingsOf(&x.admin.Server.Site(x.request).Settings), settings.Default()
	for i, other := range settingsOf(&usual) {
		list[i].Default = list[i].Value == other.Value
	}
	return x.data(list)
}

// settingsOf lists the settings. None is secret: of webhooks and previews, whose addresses
// may have a secret in them, only what they are for is said.
func settingsOf(s *settings.Settings) []setting {
	return slices.Concat(
		generalSettings(s),
		settingsOfLimits(&s.Limits),
		settingsOfAccounts(s),
		settingsOfOperation(s),
	)
}

func row(key string, value any) setting { return setting{Key: key, Value: said(value)} }

// said is a value in words.
func said(value any) string {
	switch v := value.(type) {
	case time.Duration:
		if days := v / (24 * time.Hour); days > 0 && v%(24*time.Hour) == 0 {
			return fmt.Sprintf("%dd", days)
		}
		text := strings.TrimSuffix(v.String(), "m0s")
		if text != v.String() {
			text += "m"
		}
		if hours, whole := strings.CutSuffix(text, "h0m"); whole {
			text = hours + "h"
		}
		return text
	case []string:
		return strings.Join(v, ", ")
	}
	return fmt.Sprint(value)
}

// texts writes each of a list in words.
func texts[T any](list []T) []string {
	all := make([]string, len(list))
	for i, one := range list {
		all[i] = fmt.Sprint(one)
	}
	return all
}

func generalSettings(s *settings.Settings) []setting {
	var locales, hooks []string
	for _, l := range s.Locales {
		locales = append(locales, l.Code)
	}
	for _, h := range s.Webhooks {
		hooks = append(hooks, h.Name)
	}
	return []setting{
		row("i18n.defaultLocale", s.DefaultLocale),
		row("i18n.locales", locales),
		row("rest.defaultLimit", s.DefaultLimit),
		row("rest.maxLimit", s.MaxLimit),
		row("rest.withCount", s.WithCount),
		row("defaults", slices.Sorted(maps.Keys(s.Defaults))),
		row("cache", slices.Sorted(maps.Keys(s.Cache))),
		row("preview", slices.Sorted(maps.Keys(s.Previews))),
		row("webhooks", hooks),
		row("upload.sizeLimit", s.Upload.SizeLimit),
		row("upload.allow", s.Upload.Allow),
		row("upload.deny", s.Upload.Deny),
	}
}

func settingsOfLimits(l *settings.Limits) []setting {
	return []setting{
		row("limits.bodyBytes", l.BodyBytes),
		row("limits.urlBytes", l.URLBytes),
		row("limits.depth", l.Depth),
		row("limits.conditions", l.Conditions),
		row("limits.populateEntries", l.PopulateEntries),
		row("limits.populateDepth", l.PopulateDepth),
		row("limits.responseEntries", l.ResponseEntries),
		row("limits.responseBytes", l.ResponseBytes),
		row("limits.writeLinks", l.WriteLinks),
		row("limits.batchRequests", l.BatchRequests),
		row("limits.batchBytes", l.BatchBytes),
		row("limits.querySeconds", l.QueryTime.Seconds()),
		row("limits.heavyCost", l.HeavyCost),
		row("limits.heavyQueries", l.HeavyQueries),
		row("limits.connections", l.Connections),
		row("limits.requests", l.Requests),
		row("limits.streams", l.Streams),
		row("limits.streamsPerAddress", l.StreamsPerAddress),
	}
}

func settingsOfAccounts(s *settings.Settings) []setting {
	a := &s.Accounts
	second := "optional"
	if s.Admin.SecondFactor {
		second = "required"
	}
	return []setting{
		row("roles", slices.Sorted(maps.Keys(s.Roles))),
		row("auth.register.enabled", a.Register.Enabled),
		row("auth.register.role", a.Register.Role),
		row("auth.confirmation.required", a.Confirmation.Required),
		row("auth.reset.url", a.ResetURL),
		row("auth.refresh.enabled", a.Refresh.Enabled),
		row("auth.trustedProxies", texts(a.Proxies)),
		row("auth.rateLimit.enabled", s.RateLimit.Enabled),
		row("auth.rateLimit.max", s.RateLimit.Max),
		row("auth.rateLimit.interval", s.RateLimit.Interval),
		row("admin.enabled", s.Admin.Enabled),
		row("admin.networks", texts(s.Admin.Networks)),
		row("admin.secondFactor", second),
		row("mail.from", s.Mail.From),
		row("mail.smtp", s.Mail.SMTP),
		row("mail.reset.subject", s.Mail.Reset.Subject),
		row("mail.confirmation.subject", s.Mail.Confirmation.Subject),
	}
}

func settingsOfOperation(s *settings.Settings) []setting {
	return []setting{
		row("rateLimit.max", s.Rate.Max),
		row("rateLimit.interval", s.Rate.Interval),
		row("rateLimit.burst", s.Rate.Burst),
		row("log.slowMs", s.Log.Slow.Milliseconds()),
		row("backup.schedule", s.Backup.Schedule),
		row("backup.keep", s.Backup.Keep),
		row("history.versions", s.History.Versions),
		row("history.days", int(s.History.Age.Hours()/24)),
		row("events.retention", s.Events.Retention),
		row("events.megabytes", s.Events.Bytes>>20),
		row("events.allowPrivate", texts(s.Events.AllowPrivate)),
		row("audit.retention", s.Audit.Retention),
	}
}
