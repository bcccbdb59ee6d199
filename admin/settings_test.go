package admin_test

import (
	"strings"
	"testing"
)

// marked is a site.json whose secrets and paths of the machine have the word marker.
var marked = []string{`"rest": {`, `
	"mail": { "smtp": "smtps://marker-user@marker.example.org:465", "from": "Guide <guide@example.org>" },
	"backup": { "folder": "/srv/marker" },
	"preview": { "api::dish.dish": "https://example.org/preview?secret=marker&id={documentId}" },
	"webhooks": [{ "name": "deploy", "url": "https://example.org/changed", "headers": { "Authorization": "Bearer marker" } }],
	"limits": { "bodyBytes": 2097152 },
	"rest": {`, `"auth": {`, `"auth": { "reset": { "url": "https://example.org/reset?key=marker" }, `}

// Those who may change settings see them, and nothing secret; others see nothing.
func TestSettings(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, marked...)
	v := o.owner()
	otto := v.operator()
	_, eve := v.addAccount("eve", "editor")
	o.client().want(401, "GET", "/settings", "")
	eve.want(403, "GET", "/settings", "")
	if a := otto.want(200, "GET", "/settings", ""); a.text("data.editable") != "false" {
		t.Errorf("without the right to change the files of the site: %s", a.body)
	}
	if a := v.want(200, "GET", "/settings", ""); a.text("data.editable") != "true" {
		t.Errorf("%s", a.body)
	}
	for _, who := range []*client{v, otto} {
		a := who.want(200, "GET", "/settings", "")
		for _, want := range []string{
			`{"key":"limits.bodyBytes","value":2097152,"unit":"bytes","set":true,"kept":false}`, `{"key":"mail.smtp","value":null,"unit":"","set":true,"kept":true}`,
			`{"key":"backup.folder","value":null,"unit":"","set":true,"kept":true}`, `{"code":"fr","name":"French (fr)","isDefault":false}`,
			`"address":"https://example.org/preview?secret=…\u0026id={documentId}"`, `"value":"https://example.org/reset?key=…"`,
		} {
			if !strings.Contains(a.body, want) && !strings.Contains(a.body, strings.ReplaceAll(want, `\u0026`, "&")) {
				t.Errorf("no %s in %s", want, a.body)
			}
		}
	}
}

// What is secret in site.json is in no answer that somebody with the right settings gets.
func TestSettingsKeepSecrets(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, marked...)
	otto := o.owner().operator()
	for _, path := range []string{"/settings", "/status", "/status/series", "/slow-requests", "/backups", "/audit", "/schema", "/home", "/content/_webhooks"} {
		if a := otto.ask("GET", path, ""); strings.Contains(a.body, "marker") {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	if log := o.log.String(); strings.Contains(log, "marker") {
		t.Errorf("the log: %s", log)
	}
}
