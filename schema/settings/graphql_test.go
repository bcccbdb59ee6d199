package settings_test

import (
	"strings"
	"testing"

	"quire/schema/settings"
)

func TestGraphQL(t *testing.T) {
	for text, want := range map[string]settings.GraphQL{
		`{}`: {Endpoint: "/graphql", DepthLimit: 10, DefaultLimit: 10, MaxLimit: -1, AmountLimit: -1, Introspection: true},
		`{"graphql": {"enabled": true, "depthLimit": 5, "maxLimit": 20, "introspection": false}}`: {Enabled: true, Endpoint: "/graphql", DepthLimit: 5, DefaultLimit: 10, MaxLimit: 20, AmountLimit: -1},
		`{"graphql": {"endpoint": "/api/query", "maxLimit": 5, "amountLimit": 3}}`:                {Endpoint: "/api/query", DepthLimit: 10, DefaultLimit: 10, MaxLimit: 5, AmountLimit: 3, Introspection: true},
	} {
		if g := readSettings(t, text).GraphQL; g != want {
			t.Errorf("%s: %+v", text, g)
		}
	}
	for text, place := range map[string]string{
		`{"graphql": {"depthLimit": 51}}`:                 "graphql.depthLimit",
		`{"graphql": {"maxLimit": 0}}`:                    "graphql.maxLimit",
		`{"graphql": {"maxLimit": 5, "defaultLimit": 6}}`: "graphql.defaultLimit",
		`{"graphql": {"amountLimit": 0}}`:                 "graphql.amountLimit",
		`{"graphql": {"endpoint": "x"}}`:                  "graphql.endpoint",
		`{"graphql": {"endpoint": "/admin/x"}}`:           "graphql.endpoint",
		`{"graphql": {"endpoint": "/a:b"}}`:               "graphql.endpoint",
		`{"graphql": {"endpoint": 5}}`:                    "graphql.endpoint",
		`{"graphql": {"enabled": "yes"}}`:                 "graphql.enabled",
		`{"graphql": true}`:                               "graphql",
	} {
		if _, err := tryToRead(text); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
