package schema

import (
	"fmt"
	"regexp"
)

// Locale is one language that content can be written in.
type Locale struct {
	Code string `json:"code"` // "en", "fr-CH"
	Name string `json:"name"` // "English (en)"
}

var english = Locale{Code: "en", Name: "English (en)"}

// HasLocale reports whether the site has a locale of that code.
func (s *Settings) HasLocale(code string) bool {
	for _, l := range s.Locales {
		if l.Code == code {
			return true
		}
	}
	return false
}

// localeCode is the shape of codes in the reference: a language, then script,
// region and variants.
var localeCode = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// readLocales reads "i18n": {"defaultLocale": "en", "locales": [{"code", "name"}]}.
// A site that only names its default locale has that one.
func (s *Settings) readLocales(o object) {
	o.only("defaultLocale", "locales")
	if v, ok := o.get("defaultLocale"); ok {
		s.DefaultLocale, _ = v.text()
		checkLocaleCode(v, s.DefaultLocale)
	}
	v, ok := o.get("locales")
	if !ok {
		if s.DefaultLocale != english.Code {
			s.Locales = []Locale{{Code: s.DefaultLocale, Name: s.DefaultLocale}}
		}
		return
	}
	s.Locales = nil
	items, ok := v.list()
	for _, item := range items {
		s.readLocale(item)
	}
	if ok && !s.HasLocale(s.DefaultLocale) {
		v.refuse(fmt.Sprintf("the default locale %q is not among them", s.DefaultLocale), "add it or set i18n.defaultLocale")
	}
}

func (s *Settings) readLocale(v value) {
	o, ok := v.object()
	if !ok {
		return
	}
	o.only("code", "name")
	code, ok := o.get("code")
	if !ok {
		o.refuseAt("code", "is missing", `write a code such as "en" or "fr-CH"`)
		return
	}
	l := Locale{Name: o.text("name")}
	l.Code, _ = code.text()
	checkLocaleCode(code, l.Code)
	if s.HasLocale(l.Code) {
		code.refuse(fmt.Sprintf("%q stands here twice", l.Code), "remove one of the two")
		return
	}
	if l.Name == "" {
		l.Name = l.Code
	}
	s.Locales = append(s.Locales, l)
}

func checkLocaleCode(v value, code string) {
	if v.raw[0] == '"' && !localeCode.MatchString(code) {
		v.refuse(fmt.Sprintf("%q is not a locale code", code), `write a code such as "en" or "fr-CH"`)
	}
}
