package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"quire/schema/settings"
	"quire/schema/source"
)

// Locales are the requested locales of a site, in their order. They replace i18n.locales and
// i18n.defaultLocale of site.json; the rest of the file keeps its meaning and its order.
type Locales struct {
	List    []settings.Locale `json:"list"`
	Default string            `json:"default"` // the code of one of them
}

// Limits of a change of locales.
const (
	MaxLocales    = 200
	longestLocale = 100 // bytes of a code or a name
)

// setLocales adds site.json with other locales to the draft. Loading the changed file reports
// codes that cannot be served.
func (m *maker) setLocales(l *Locales) error {
	if l == nil {
		return nil
	}
	if message, fix := l.fault(); message != "" {
		m.note(source.Problem{File: SettingsFile, Place: "i18n.locales", Message: message, Fix: fix})
		return nil
	}
	f, err := m.settingsFile()
	if err != nil {
		return err
	}
	list, err := json.Marshal(l.List)
	if err != nil {
		return err
	}
	after, err := Set(f.After, []Setting{{[]string{"i18n", "defaultLocale"}, quote(l.Default)}, {[]string{"i18n", "locales"}, list}})
	if err != nil {
		return err
	}
	if string(after) == string(f.Before) {
		return nil
	}
	f.After = after
	m.draft.Files = append(slices.DeleteFunc(m.draft.Files, func(o File) bool { return o.Path == SettingsFile }), f)
	return nil
}

// fault returns why these cannot be the locales of a site, empty if they can.
func (l *Locales) fault() (message, fix string) {
	if len(l.List) == 0 || len(l.List) > MaxLocales {
		return fmt.Sprintf("there are %d locales", len(l.List)), fmt.Sprintf("choose between 1 and %d", MaxLocales)
	}
	for _, one := range l.List {
		if one.Code == "" || max(len(one.Code), len(one.Name)) > longestLocale {
			return fmt.Sprintf("%.80q is not a locale", one.Code), fmt.Sprintf(`write a code such as "en" or "fr-CH", and a name of at most %d bytes`, longestLocale)
		}
	}
	return "", ""
}

// settingsFile returns site.json as the draft leaves it so far.
func (m *maker) settingsFile() (File, error) {
	if i := slices.IndexFunc(m.draft.Files, func(f File) bool { return f.Path == SettingsFile }); i >= 0 {
		return m.draft.Files[i], nil
	}
	text, err := fs.ReadFile(m.folder, SettingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return File{Path: SettingsFile, Before: text, After: text}, err
}
