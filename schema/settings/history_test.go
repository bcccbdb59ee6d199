package settings_test

import (
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
)

func TestHistory(t *testing.T) {
	for text, want := range map[string]settings.History{
		`{}`: {Versions: 100, Age: 90 * 24 * time.Hour},
		`{"history": {"versions": 3, "days": 1}}`: {Versions: 3, Age: 24 * time.Hour},
		`{"history": {"versions": 0}}`:            {Age: 90 * 24 * time.Hour},
	} {
		if h := readSettings(t, text).History; h != want || h.Off() != (want.Versions == 0) {
			t.Errorf("%s: %+v", text, h)
		}
	}
	for text, place := range map[string]string{
		`{"history": {"versions": -1}}`:    "history.versions",
		`{"history": {"versions": 1001}}`:  "history.versions",
		`{"history": {"days": 36501}}`:     "history.days",
		`{"history": {"days": "forever"}}`: "history.days",
		`{"history": {"years": 1}}`:        "history.years",
		`{"history": 5}`:                   "history",
	} {
		if _, err := tryToRead(text); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
