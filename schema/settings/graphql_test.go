package settings_test

import (
	"strings"
	"testing"

	"quire/schema/settings"
)

func TestGraphQL(t *testing.T) {
	for text, want := range map[string]settings.GraphQL{
		`{}`: {DepthLimit: 10, DefaultLimit: 10, MaxLimit: -1, Introspection: true},
		`{"graphql": {"enabled": true, "depthLimit": 5, "maxLimit": 20, "introspection": false}}`: {Enabled: true, DepthLimit: 5, DefaultLimit: 10, MaxLimit: 20},
	} {
		if g := readSettings(t, text).GraphQL; g != want {
			t.Errorf("%s: %+v", text, g)
		}
	}
	for text, place := range map[string]string{
		`{"graphql": {"depthLimit": 51}}`: "graphql.depthLimit",
		`{"graphql": {"maxLimit": 0}}`:    "graphql.maxLimit",
		`{"graphql": {"maxLimit": 5}}`:    "graphql.defaultLimit",
		`{"graphql": {"endpoint": "/x"}}`: "graphql.endpoint",
		`{"graphql": {"enabled": "yes"}}`: "graphql.enabled",
		`{"graphql": true}`:               "graphql",
	} {
		if _, err := tryToRead(text); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
