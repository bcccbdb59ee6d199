package settings_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestMCP(t *testing.T) {
	m := readSettings(t, `{"mcp": {"enabled": true, "tools": "strapi", "limits": {"calls": 5, "answer": 2048}, "prompts": [
		{"name": "review", "description": "Reviews", "text": "Review {{what}}", "arguments": [{"name": "what", "required": true}]}]}}`).MCP
	if !m.Enabled || m.Tools != "strapi" || m.Limits.Calls != 5 || m.Limits.Answer != 2048 || m.Limits.Documents != 10_000 {
		t.Errorf("%+v", m)
	}
	if len(m.Prompts) != 1 || m.Prompts[0].Text != "Review {{what}}" || !m.Prompts[0].Arguments[0].Required {
		t.Errorf("%+v", m.Prompts)
	}
	if readSettings(t, `{}`).MCP.Enabled {
		t.Error("assistants can use a site that has not allowed it")
	}
}

func TestWrongMCPIsNamed(t *testing.T) {
	prompt := `{"name": "a", "text": "b"}`
	for text, place := range map[string]string{
		`{"tools": "both"}`:                                            "mcp.tools",
		`{"enabled": 1}`:                                               "mcp.enabled",
		`{"limits": {"calls": 0}}`:                                     "mcp.limits.calls",
		`{"limits": {"answer": 100}}`:                                  "mcp.limits.answer",
		`{"limits": {"bytes": 1e99}}`:                                  "mcp.limits.bytes",
		`{"limits": {"tokens": 1}}`:                                    "mcp.limits.tokens",
		`{"prompts": {}}`:                                              "mcp.prompts",
		`{"prompts": [{"name": "a"}]}`:                                 "mcp.prompts[0].text",
		`{"prompts": [{"name": "a b", "text": "b"}]}`:                  "mcp.prompts[0].name",
		`{"prompts": [` + prompt + `, ` + prompt + `]}`:                "mcp.prompts[1].name",
		`{"prompts": [{"name": "a", "text": "b", "arguments": [{}]}]}`: "mcp.prompts[0].arguments[0].name",
		fmt.Sprintf(`{"prompts": [{"name": "a", "text": %q}]}`, strings.Repeat("x", 20_001)): "mcp.prompts[0].text",
	} {
		if _, err := tryToRead(`{"mcp": ` + text + `}`); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%.100s: %v", text, err)
		}
	}
}
