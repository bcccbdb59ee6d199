package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"quire/auth"
	"quire/auth/people"
	"quire/schema/settings"
	"quire/server/mcp"
)

// Each item may name the version that was read, also two about one document, and also if a
// person has to agree.
func TestItemsAboutOneDocumentNameOneVersion(t *testing.T) {
	h := openAgents(t)
	h.addAgent("asks", draftsOnly, people.Limits{Publish: people.Ask, Delete: people.Ask, Most: 1})
	h.agents["asks"].Proposer = h.agents["owner"].Identity.Caller
	id, version := h.restaurant("ada", "Roma")
	items := strings.NewReplacer("ID", id, "VERSION", version).Replace(`{"items": [
		{"type": "api::restaurant.restaurant", "documentId": "ID", "version": VERSION, "locale": "en", "data": {"name": "Rome"}},
		{"type": "api::restaurant.restaurant", "documentId": "ID", "version": VERSION, "locale": "fr", "data": {"name": "Rome"}},
		{"type": "api::category.category", "data": {"name": "New"}}]}`)
	if text := h.did("asks", "write", "%s", items); !strings.Contains(text, "Waiting for approval") {
		t.Errorf("with a person: %s", text)
	}
	if text := h.did("owner", "write", "%s", items); !strings.Contains(text, "3 items") {
		t.Errorf("at once: %s", text)
	}
	h.refused("needs the version", "owner", "write", `{"items": [{"type": "api::restaurant.restaurant", "documentId": %q, "version": 0, "data": {"name": "A"}}]}`, id)
	h.refused("needs the version", "owner", "act", `{"action": "delete", "items": [{"type": "api::restaurant.restaurant", "documentId": %q, "version": 0}]}`, id)
}

// menuOf is a site with an enumeration of any values, and a secret.
func menuOf(values ...string) fstest.MapFS {
	list, _ := json.Marshal(values)
	return fstest.MapFS{"src/api/dish/content-types/dish/schema.json": {Data: []byte(`{"kind": "collectionType", "info": {"singularName": "dish", "pluralName": "dishes", "displayName": "Dish"}, "options": {"draftAndPublish": true},
		"attributes": {"name": {"type": "string"}, "size": {"type": "enumeration", "enum": ` + string(list) + `}, "margin": {"type": "string"}, "slug": {"type": "uid", "targetField": "margin"}}}`)}}
}

// The schemas of Strapi's tools are JSON whatever the values of an enumeration are, and short
// however many there are.
func TestToolsOfAnyEnumeration(t *testing.T) {
	for _, values := range [][]string{{`12"`, `a\b`, "<b>"}, make([]string, 5000)} {
		for i := range values {
			values[i] = cmp.Or(values[i], fmt.Sprintf("value number %d", i))
		}
		h := openAccountSite(t, menuOf(values...), options{MCP: true, Tools: settings.StrapiTools})
		h.agents = map[string]*mcp.Agent{}
		h.addAgent("ada", draftsOnly, people.Limits{})
		if a := h.message("ada", "tools/list", nil); a.status != 200 || !strings.Contains(a.raw, `"create_dish"`) || len(a.raw) > 20_000 {
			t.Errorf("%.20q…: %d, %d bytes: %.300s", values, a.status, len(a.raw), a.raw)
		}
		h.refused("size", "ada", "create_dish", `{"data": {"size": "none of them"}}`)
		h.did("ada", "create_dish", `{"data": {"size": %q}}`, values[1])
	}
}

// Neither the list of tools nor describe names an attribute that the role of the agent hides, and
// many values leave place for the other attributes.
func TestTheSchemasNameNothingHidden(t *testing.T) {
	values := make([]string, 20_000)
	for i := range values {
		values[i] = fmt.Sprintf("value number %d", i)
	}
	role := auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: {Actions: []string{"read", "create", "update"}, Hidden: []string{"margin"}}}}
	for _, tools := range []string{settings.QuireTools, settings.StrapiTools} {
		h := openAccountSite(t, menuOf(values...), options{MCP: true, Tools: tools})
		h.agents = map[string]*mcp.Agent{}
		h.addAgent("blind", role, people.Limits{})
		list := h.message("blind", "tools/list", nil).raw + h.message("blind", "resources/read", map[string]any{"uri": "quire://schema/api::dish.dish"}).raw
		if tools == settings.QuireTools {
			list += h.did("blind", "describe", `{"type": "api::dish.dish"}`)
		}
		if strings.Contains(list, "margin") || !strings.Contains(list, "slug") {
			t.Errorf("%s: %.4000s", tools, list)
		}
	}
}

// What the owner may not do is no offer, whether or not a person would have to agree.
func TestDescribeOffersOnlyWhatAPersonCouldApprove(t *testing.T) {
	h := openAgents(t)
	limits := people.Limits{Publish: people.Ask, Delete: people.Ask}
	h.addAgent("asks", draftsOnly, limits)
	h.agents["asks"].Proposer = h.agents["ada"].Identity.Caller
	if text := h.did("asks", "describe", `{"type": "api::restaurant.restaurant"}`); strings.Contains(text, "after a person agrees") {
		t.Errorf("its owner writes drafts: %s", text)
	}
	h.agents["asks"].Proposer = h.agents["owner"].Identity.Caller
	if text := h.did("asks", "describe", `{"type": "api::restaurant.restaurant"}`); !strings.Contains(text, "publish (after a person agrees), delete (after a person agrees)") {
		t.Errorf("its owner does everything: %s", text)
	}
}

// Blocks are Markdown for agents, also in components, and for everybody else what they are.
func TestBlocksAreMarkdownForAgents(t *testing.T) {
	part := `{"collectionName": "parts", "info": {"displayName": "Part"}, "attributes": {"text": {"type": "blocks"}}}`
	page := `{"kind": "collectionType", "info": {"singularName": "page", "pluralName": "pages", "displayName": "Page"}, "options": {"draftAndPublish": true}, "attributes": {
		"name": {"type": "string"}, "body": {"type": "blocks"}, "parts": {"type": "dynamiczone", "components": ["text.part"]}, "one": {"type": "component", "component": "text.part"}}}`
	h := openAccountSite(t, fstest.MapFS{"src/components/text/part.json": {Data: []byte(part)}, "src/api/page/content-types/page/schema.json": {Data: []byte(page)}}, options{MCP: true})
	h.agents = map[string]*mcp.Agent{}
	h.addAgent("ada", draftsOnly, people.Limits{})
	made := h.did("ada", "write", `{"items": [{"type": "api::page.page", "data": {"name": "A", "body": "## One\n\nTwo **three**\n- four", "one": {"text": "*five*"}, "parts": [{"__component": "text.part", "text": "six"}, {"__component": "text.part", "text": [{"type": "paragraph", "children": [{"type": "text", "text": "seven"}]}]}]}}]}`)
	id := firstID(t, made)
	shown := h.did("ada", "get", `{"type": "api::page.page", "documentId": %q}`, id)
	for _, want := range []string{`"body":"## One\n\nTwo **three**\n\n- four"`, `"text":"*five*"`, `"text":"six"`, `"text":"seven"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s is not in %s", want, shown)
		}
	}
	if text := h.did("ada", "get", `{"type": "api::page.page", "documentId": %q, "attribute": "body", "from": 8, "populate": "*"}`, id); !strings.Contains(text, `"Two **three**\n\n- four"`) {
		t.Errorf("read on: %s", text)
	}
	if text := h.did("ada", "get", `{"type": "api::page.page", "documentId": %q, "attribute": "parts.0.text", "populate": "*"}`, id); !strings.Contains(text, `"six"`) {
		t.Errorf("in a component: %s", text)
	}
	if text := h.did("ada", "find", `{"type": "api::page.page", "fields": ["body"]}`); !strings.Contains(text, `"## One\n\nTwo **three**\n\n- four"`) {
		t.Errorf("in a list: %s", text)
	}
	if a := h.message("ada", "resources/read", map[string]any{"uri": "quire://document/api::page.page/" + id}); !strings.Contains(a.raw, `## One\n\nTwo **three**\n\n- four`) {
		t.Errorf("as a resource: %s", a.raw)
	}
	h.refused("body", "ada", "write", `{"items": [{"type": "api::page.page", "data": {"body": %q}}]}`, strings.Repeat("a", 1<<20))
	h.refused("body", "ada", "write", `{"items": [{"type": "api::page.page", "data": {"body": 5}}]}`)
}
