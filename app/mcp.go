package app

import (
	"context"
	"encoding/json"
	"net/http"

	"quire/auth"
	"quire/auth/people"
	"quire/content/audit"
	"quire/server/mcp"
)

// MCPMessage is a message of an assistant on this machine.
type MCPMessage struct {
	As      string            `json:"as,omitempty"` // the id of an assistant; empty for the command itself
	Headers map[string]string `json:"headers,omitempty"`
	Message json.RawMessage   `json:"message"`
}

// MCPResponse is the response to a message.
type MCPResponse struct {
	Status int             `json:"status"`
	Body   json.RawMessage `json:"body,omitempty"` // empty for a message without an answer
}

// Tell answers a message of an assistant in the running server or, if no server runs, in this
// process. It returns an error if there is no data file, and does not create one.
func (l Location) Tell(ctx context.Context, in MCPMessage) (out MCPResponse, err error) {
	out, _, err = callData[MCPResponse](ctx, l, mcpCommand, in)
	return out, err
}

// tell answers a message of an assistant.
func (a *App) tell(ctx context.Context, in MCPMessage) (any, error) {
	agent := func() (*mcp.Agent, error) { return a.agentCalled(in.As) }
	if in.As == "" {
		caller := auth.NewDraftsCaller(a.site, "mcp")
		agent = func() (*mcp.Agent, error) {
			identity := auth.Identity{Caller: caller}
			source := &audit.Source{By: identity.Actor(), Way: audit.ByMCP}
			return &mcp.Agent{Identity: identity, Source: source, Limits: people.Limits{Publish: people.No, Delete: people.No}}, nil
		}
	}
	if _, err := agent(); err != nil {
		return nil, err
	}
	header := http.Header{}
	for key, value := range in.Headers {
		header.Set(key, value)
	}
	r, err := a.server.Tell(ctx, agent, header, in.Message)
	return MCPResponse{r.Status, r.Body}, err
}
