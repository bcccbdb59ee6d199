package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"

	"quire/auth"
	"quire/auth/people"
	"quire/server/mcp"
)

// assistant finds the assistant of a token. The tokens of other callers count, too, so that
// tests can compare what each may see.
func (h *accountSite) assistant(token string, _ netip.Addr) (*mcp.Agent, error) {
	if a := h.agents[token]; a != nil {
		return a, nil
	}
	if c := h.people[token]; c != nil {
		return &mcp.Agent{Identity: auth.Identity{Caller: c}, Limits: people.Limits{Publish: people.Yes, Delete: people.Yes}}, nil
	}
	identity, err := h.auth.Authenticate(token, h.server.Accounts())
	return &mcp.Agent{Identity: identity, Limits: people.Limits{Publish: people.Yes, Delete: people.Yes}}, err
}

// draftsOnly is the role of an assistant that may do nothing but read and write drafts.
var draftsOnly = auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: {Actions: []string{"read", "create", "update"}}}, Files: []string{"read", "upload"}}

// openAgents serves the sample site to assistants. The token "ada" is that of one that may
// write drafts, and "owner" that of one that may do everything.
func openAgents(t *testing.T) *accountSite {
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{MCP: true})
	h.agents = map[string]*mcp.Agent{}
	h.addAgent("ada", draftsOnly, people.Limits{Publish: people.No, Delete: people.No})
	h.addAgent("owner", auth.AdminRole{Full: true}, people.Limits{Publish: people.Yes, Delete: people.Yes})
	return h
}

func (h *accountSite) addAgent(token string, role auth.AdminRole, limits people.Limits) {
	h.t.Helper()
	c, err := auth.NewAdminCaller(h.site, token, token, &role)
	check(h.t, err)
	h.agents[token] = &mcp.Agent{Identity: auth.Identity{Caller: c}, Limits: limits}
}

// toolAnswer is the answer of a tool.
type toolAnswer struct {
	status int
	raw    string // the whole response
	text   string // of the answer, or of the error of the protocol
	failed bool   // whether the tool refused
	code   int    // of an error of the protocol; 0 for none
	result struct {
		Content           []struct{ Type, Text, Data, MIMEType string }
		StructuredContent json.RawMessage
		IsError           bool
	}
}

// message sends a message of the protocol.
func (h *accountSite) message(token, method string, params any, headers ...string) *toolAnswer {
	h.t.Helper()
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	check(h.t, err)
	w := h.post(token, string(text), headers...)
	a := &toolAnswer{status: w.Code, raw: w.Body.String()}
	var response struct {
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil {
		return a
	}
	if response.Error != nil {
		a.text, a.code = response.Error.Message, response.Error.Code
	}
	_ = json.Unmarshal(response.Result, &a.result)
	a.failed = a.result.IsError
	for _, c := range a.result.Content {
		a.text += c.Text
	}
	return a
}

// post sends a body to /mcp.
func (h *accountSite) post(token, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return w
}

// refusedFor reports whether an answer is an error of the protocol with a text.
func (a *toolAnswer) refusedFor(text string) bool {
	return a.code != 0 && strings.Contains(a.text, text)
}

// tool calls a tool; arguments is JSON.
func (h *accountSite) tool(token, name, arguments string, values ...any) *toolAnswer {
	h.t.Helper()
	return h.message(token, "tools/call", map[string]any{"name": name, "arguments": json.RawMessage(fmt.Sprintf(arguments, values...))})
}

// did calls a tool that must succeed, and returns its text.
func (h *accountSite) did(token, name, arguments string, values ...any) string {
	h.t.Helper()
	a := h.tool(token, name, arguments, values...)
	if a.status != http.StatusOK || a.failed || a.code != 0 {
		h.t.Fatalf("%s %s: %d %s", name, fmt.Sprintf(arguments, values...), a.status, a.raw)
	}
	return a.text
}

// refused calls a tool that must be refused with a text.
func (h *accountSite) refused(want, token, name, arguments string, values ...any) {
	h.t.Helper()
	a := h.tool(token, name, arguments, values...)
	if !a.failed || !strings.Contains(a.text, want) {
		h.t.Errorf("%s %s: %s, want %q", name, fmt.Sprintf(arguments, values...), a.raw, want)
	}
}
