package server

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"quire/schema/settings"
)

// locale is one entry of GET /api/i18n/locales.
type locale struct {
	ID          uint32 `json:"id"`
	DocumentID  string `json:"documentId"`
	Name        string `json:"name"`
	Code        string `json:"code"`
	CreatedAt   string `json:"createdAt"`
	UpdatedAt   string `json:"updatedAt"`
	PublishedAt string `json:"publishedAt"`
	IsDefault   bool   `json:"isDefault"`
}

// localeTime is the value of the times that clients expect in an entry. Locales are
// settings of the site and have no times.
const localeTime = "1970-01-01T00:00:00.000Z"

// listLocales answers GET /api/i18n/locales: a bare array, in the order of site.json.
func listLocales(x *request) error {
	text, err := json.Marshal(x.site.locales)
	if err != nil {
		return err
	}
	x.json(200, text)
	return nil
}

func localesOf(s *settings.Settings) []locale {
	list := make([]locale, len(s.Locales))
	for i, l := range s.Locales {
		id, documentID := localeIDs(l.Code)
		list[i] = locale{id, documentID, l.Name, l.Code, localeTime, localeTime, localeTime, l.Code == s.DefaultLocale}
	}
	return list
}

// localeIDs derives the ids of a locale from its code, so that they are the same after
// every start, whatever other locales there are.
func localeIDs(code string) (id uint32, documentID string) {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte("locale " + code))
	text := make([]byte, 24)
	for i := range text {
		text[i] = letters[int(sum[i])%len(letters)]
	}
	return binary.BigEndian.Uint32(sum[24:])>>1 | 1, string(text)
}
