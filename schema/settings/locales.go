package settings

import (
	"fmt"
	"regexp"

	"quire/schema/source"
)

// Locale is one language that content can be written in.
type Locale struct {
	Code string `json:"code"` // "en", "fr-CH"
	Name string `json:"name"` // "English (en)"
}

var english = Locale{Code: "en", Name: "English (en)"}

// HasLocale reports whether the site has a locale with that code.
func (s *Settings) HasLocale(code string) bool {
	for _, l := range s.Locales {
		if l.Code == code {
			return true
		}
	}
	return false
}

// localeCode is the shape of codes in Strapi: a language, then script,
// region and variants.
var localeCode = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// readLocales reads "i18n": {"defaultLocale": "en", "locales": [{"code", "name"}]}. A site
// with only a default locale has that one.
func (s *Settings) readLocales(o source.Object) {
	o.Only("defaultLocale", "locales")
	if v, ok := o.Get("defaultLocale"); ok {
		s.DefaultLocale, _ = v.Text()
		checkLocaleCode(v, s.DefaultLocale)
	}
	v, ok := o.Get("locales")
	if !ok {
		if s.DefaultLocale != english.Code {
			s.Locales = []Locale{{Code: s.DefaultLocale, Name: s.DefaultLocale}}
		}
		return
	}
	s.Locales = nil
	items, ok := v.List()
	for _, item := range items {
		s.readLocale(item)
	}
	if ok && !s.HasLocale(s.DefaultLocale) {
		v.Refuse(fmt.Sprintf("the default locale %q is not among them", s.DefaultLocale), "add it or set i18n.defaultLocale")
	}
}

func (s *Settings) readLocale(v source.Value) {
	o, ok := v.Object()
	if !ok {
		return
	}
	o.Only("code", "name")
	code, ok := o.Get("code")
	if !ok {
		o.RefuseAt("code", "is missing", `write a code such as "en" or "fr-CH"`)
		return
	}
	l := Locale{Name: o.Text("name")}
	l.Code, _ = code.Text()
	checkLocaleCode(code, l.Code)
	if s.HasLocale(l.Code) {
		code.Refuse(fmt.Sprintf("%q occurs twice", l.Code), "remove one of the two")
		return
	}
	if l.Name == "" {
		l.Name = l.Code
	}
	s.Locales = append(s.Locales, l)
}

func checkLocaleCode(v source.Value, code string) {
	if v.Raw[0] == '"' && !localeCode.MatchString(code) {
		v.Refuse(fmt.Sprintf("%q is not a locale code", code), `write a code such as "en" or "fr-CH"`)
	}
}
