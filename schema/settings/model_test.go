package settings_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"quire/schema/settings"
)

func TestModel(t *testing.T) {
	if readSettings(t, `{}`).Admin.Model != nil {
		t.Error("a site has a language model that has not named one")
	}
	m := readSettings(t, `{"admin": {"model": {"url": "http://ollama:11434/v1/chat/completions", "name": "llama3.2"}}}`).Admin.Model
	if *m != (settings.Model{URL: "http://ollama:11434/v1/chat/completions", Name: "llama3.2", Timeout: time.Minute, Calls: 30}) {
		t.Errorf("%+v", m)
	}
}

func TestWrongModelIsNamed(t *testing.T) {
	for text, place := range map[string]string{
		`{"name": "m"}`:                                                    "admin.model.url",
		`{"url": "https://example.org/v1"}`:                                "admin.model.name",
		`{"url": "ftp://example.org/v1", "name": "m"}`:                     "admin.model.url",
		`{"url": "https://me:secret@example.org/v1", "name": "m"}`:         "admin.model.url",
		`{"url": "http://203.0.113.7/v1", "name": "m"}`:                    "without encryption",
		`{"url": "http://169.254.169.254/v1", "name": "m"}`:                "without encryption",
		`{"url": "https://example.org/v1", "name": "a\nb"}`:                "admin.model.name",
		`{"url": "https://example.org/v1", "name": "m", "timeout": 101}`:   "admin.model.timeout",
		`{"url": "https://example.org/v1", "name": "m", "calls": 0}`:       "admin.model.calls",
		`{"url": "https://example.org/v1", "name": "m", "key": "sk-1234"}`: "admin.model.key",
	} {
		if _, err := tryToRead(`{"admin": {"model": ` + text + `}}`); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestNearAddresses(t *testing.T) {
	for address, near := range map[string]bool{
		"127.0.0.1": true, "::1": true, "10.1.2.3": true, "192.168.0.1": true, "::ffff:172.16.0.1": true, "fd00::1": true,
		"8.8.8.8": false, "169.254.169.254": false, "2001:db8::1": false, "0.0.0.0": false, "fe80::1%eth0": false,
	} {
		if settings.IsNear(netip.MustParseAddr(address)) != near {
			t.Errorf("%s: want %v", address, near)
		}
	}
}
