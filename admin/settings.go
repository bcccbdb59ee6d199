package admin

import (
	"net/http"

	"quire/auth/people"
	"quire/schema/settings"
)

// The settings of a site are in its site.json, which is kept with its schemas: the admin shows
// them, with where each comes from. Of them, it changes only the locales, as it changes types.
func settingsRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings", Right: people.Settings, handler: showSettings, summary: "What site.json sets and what is so by default, without secrets", out: settingsOf{}},
	}
}

// settingsOf has the settings in effect.
type settingsOf struct {
	Groups   []settings.ShownGroup   `json:"groups"`
	Locales  []localeOf              `json:"locales"`
	Editable bool                    `json:"editable"` // the account may change the locales here
	Previews []settings.ShownPreview `json:"previews"`
}

// localesOf lists the locales of a site in the order of site.json.
func localesOf(s *settings.Settings) []localeOf {
	list := []localeOf{}
	for _, l := range s.Locales {
		list = append(list, localeOf{l.Code, l.Name, l.Code == s.DefaultLocale})
	}
	return list
}

// showSettings answers with the settings that may be shown: those that Show names.
func showSettings(x *request) error {
	site := x.admin.Server.Site(x.http)
	s := &site.Settings
	return x.data(settingsOf{
		Groups:   s.Show(site.Given),
		Locales:  localesOf(s),
		Editable: x.session.Account.Roles.Has(people.Schemas) && x.admin.Types.MayEdit(site),
		Previews: s.ShowPreviews(),
	})
}
