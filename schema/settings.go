package schema

import (
	"encoding/json"
	"time"
)

const siteFile = "site.json"

// Settings is what site.json may say. The zero value is not meant for use; Load
// fills in the defaults.
type Settings struct {
	DefaultLocale string
	Locales       []Locale // in the order of site.json; the default locale is among them

	DefaultLimit int  // entries a page when the request does not say, 25
	MaxLimit     int  // the most entries a page may have, 100
	WithCount    bool // whether totals are counted when the request does not say

	Limits Limits

	// Roles maps role type ("public", "authenticated", own) to what it may do.
	Roles map[string]RolePermissions

	// Defaults fills in what a read of a type does not ask for: populate, sort,
	// fields and pagination in JSON form, by content-type uid.
	Defaults map[string]map[string]json.RawMessage

	// Cache is how long anybody may keep a public answer without asking again, by
	// content-type uid; types that it does not name are asked for each time.
	Cache map[string]time.Duration

	RateLimit RateLimit   // of the endpoints that take passwords or send mail
	Rate      RequestRate // of all
	Accounts  Accounts
	Mail      Mail
	Upload    Upload
	Log       Log
	Backup    Backup
}

func defaultSettings() Settings {
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
		Accounts:      defaultAccounts(),
		Mail:          defaultMail(),
		Upload:        Upload{SizeLimit: defaultSizeLimit},
		Log:           Log{Slow: time.Second},
		Backup:        defaultBackup(),
	}
}

// readSettings reads the parts of site.json that do not depend on the content
// types; roles and defaults follow when those are known.
func (l *loader) readSettings() {
	config, ok := l.open(siteFile, siteFile)
	if !ok {
		return
	}
	l.config = config
	config.only("i18n", "rest", "limits", "roles", "defaults", "auth", "mail", "responses", "customFields", "upload", "cache", "log", "backup", "rateLimit")
	s := &l.site.Settings
	s.readLocales(config.object("i18n"))
	s.readREST(config.object("rest"))
	s.Limits.read(config.object("limits"))
	s.Rate.read(config.object("rateLimit"))
	s.readAccounts(config.object("auth"))
	s.Mail.read(config.object("mail"))
	s.Upload.read(config.object("upload"))
	s.Log.read(config.object("log"))
	s.Backup.read(config.object("backup"))
	config.object("responses").only("privateAttributes")
	l.readCustomFields(config.object("customFields"))
}
