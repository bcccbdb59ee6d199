package mcp

import (
	"context"
	"fmt"
	"net/url"

	"quire/auth"
	"quire/auth/people"
	"quire/content/audit"
	"quire/content/body"
	"quire/documents"
	"quire/schema"
)

// Agent is an assistant that asks, as it is now.
type Agent struct {
	Identity auth.Identity
	Limits   people.Limits // when a person has to agree, in addition to the rights of the caller
	Proposer *auth.Caller  // with which it proposes changes to a person; nil if nobody would decide
	Source   *audit.Source // as the audit log names it; nil if a command asks
}

// Host does for a Request what is not about documents, within the limits of the request.
type Host interface {
	// JoinWrites is called before the first write.
	JoinWrites() error

	// Explain returns what an error is for the agent. A defect goes to the log.
	Explain(error) *documents.Problem

	// Ask makes a request for a route below /api on behalf of the agent, and returns the
	// JSON of the response. form is nil, or JSON of type application/json, or a form.
	Ask(method, path string, query url.Values, kind string, form []byte) (body.JSON, error)

	// Picture returns a version of a picture in the library whose sides have up to so many
	// pixels.
	Picture(ctx context.Context, name string, side int) (mime string, data []byte, err error)
}

// Request is one message of an agent.
type Request struct {
	*Agent
	*documents.Call
	Host Host

	ctx     context.Context
	server  *Server
	writing bool
	used    int   // documents that were read or written
	over    error // why the agent gets no answer, because it has used too much; nil if it gets one
}

// join is called before a write.
func (r *Request) join() error {
	if r.writing {
		return nil
	}
	r.writing = true
	return r.Host.JoinWrites()
}

// typeOf returns the content type of a uid that the agent may know about.
func (r *Request) typeOf(uid string) (*schema.Type, error) {
	if t := r.server.site.Type(uid); t != nil && !t.IsComponent() && !t.BuiltIn && r.knows(t) {
		return t, nil
	}
	return nil, refuse("there is no type %.100q, or you may not use it; describe lists the types", uid)
}

// knows reports whether the agent may read documents of a type or write drafts of it.
func (r *Request) knows(t *schema.Type) bool {
	for _, a := range []schema.Action{schema.Find, schema.FindOne, schema.Create, schema.Update, schema.CreateDraft, schema.UpdateDraft} {
		if r.Caller.Allows(t, a) {
			return true
		}
	}
	return false
}

// refuse is an error about the arguments of a tool.
func refuse(format string, args ...any) error {
	return &documents.Problem{Kind: documents.Invalid, Name: "ValidationError", Message: fmt.Sprintf(format, args...)}
}
