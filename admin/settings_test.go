package admin_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Whoever may change settings sees what site.json sets, under its names, and nothing that
// may be a secret.
func TestSettings(t *testing.T) {
	o := openOffice(t, `"auth": {`, `"webhooks": [{"name":"search","url":"https://example.org/feed?key=hush","headers":{"X-Key":"hush"}}],
		"log": {"slowMs": 250}, "events": {"retention": "3d"}, "audit": {"retention": "36h"}, "auth": {`)
	v := o.owner()
	otto := v.operator()
	_, eve := v.hire("eve", "editor")
	eve.want(403, "GET", "/settings", "")
	o.visitor().want(401, "GET", "/settings", "")
	v.want(405, "PUT", "/settings", `{}`)
	a := otto.want(200, "GET", "/settings", "")
	var list struct {
		Data []struct {
			Key, Value string
			Default    bool
		}
	}
	check(t, json.Unmarshal([]byte(a.body), &list))
	got := map[string]string{}
	for _, one := range list.Data {
		got[one.Key] = one.Value
		if one.Default {
			got[one.Key] += " by default"
		}
	}
	for key, want := range map[string]string{
		"webhooks": "search", "log.slowMs": "250", "events.retention": "3d", "audit.retention": "36h", "limits.bodyBytes": "1048576 by default",
		"auth.rateLimit.enabled": "false", "auth.rateLimit.interval": "5m by default", "history.days": "90 by default",
		"admin.secondFactor": "optional by default", "limits.querySeconds": "10 by default", "mail.smtp": " by default",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if strings.Contains(a.body, "hush") {
		t.Error("a secret is shown")
	}
	page, err := os.ReadFile("../docs/site.md")
	check(t, err)
	for key := range got {
		section, _, _ := strings.Cut(key, ".")
		if !strings.Contains(string(page), section) {
			t.Errorf("docs/site.md does not know %s", key)
		}
	}
}
