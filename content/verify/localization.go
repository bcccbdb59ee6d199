package verify

import (
	"fmt"
	"strings"

	"quire/schema"
	"quire/store"
)

// UnfitError reports content of types that cannot be served, because it is stored in
// locales and its type is not localized, or the other way round.
type UnfitError struct{ Types []UnfitType }

// UnfitType is a content type whose stored content does not fit its schema.
type UnfitType struct {
	UID       string
	Localized bool     // by the schema
	Locales   []string // stored locales that do not fit
}

func (e *UnfitError) Error() string {
	problems := make([]string, len(e.Types))
	for i, t := range e.Types {
		problems[i] = t.String()
	}
	return strings.Join(problems, "; ") + "; " + unfitRemedy
}

const unfitRemedy = "run `quire migrate localization --dry-run SITE` to see what would be done about it, and without --dry-run to do it; or take the change of the schema back"

func (t UnfitType) String() string {
	if t.Localized {
		return t.UID + " is localized, and content of it is stored without a locale"
	}
	return fmt.Sprintf("%s is not localized, and content of it is stored in %s", t.UID, strings.Join(t.Locales, ", "))
}

// CheckLocalization checks that the content of each type is stored in locales if, and only
// if, the type is localized. It reads no entry. The error is an *UnfitError.
func CheckLocalization(site *schema.Site, tx *store.Tx) error {
	var unfit []UnfitType
	for _, t := range site.Types {
		if locales := UnfitLocales(t, tx.Locales(t.UID)); locales != nil {
			unfit = append(unfit, UnfitType{t.UID, t.Localized, locales})
		}
	}
	if unfit == nil {
		return nil
	}
	return &UnfitError{unfit}
}

// UnfitLocales returns those of the stored locales in which the type cannot be served.
func UnfitLocales(t *schema.Type, stored []string) (unfit []string) {
	for _, locale := range stored {
		if _, aside := schema.AsideOf(locale); !aside && !t.TakesLocale(locale) {
			unfit = append(unfit, locale)
		}
	}
	return unfit
}
