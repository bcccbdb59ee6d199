package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"quire/auth"
	"quire/content/audit"
	"quire/content/body"
	"quire/documents"
	"quire/media"
	"quire/schema"
	"quire/server/edge"
	"quire/server/mcp"
	"quire/store"
)

// Assistants ask by the Model Context Protocol: POST /mcp. Package mcp has the tools; package
// documents decides what an assistant sees and may do.

// Assistants finds the assistant of a token, as it is at this moment. The error is one for
// clients. from is the address of the request.
type Assistants func(token string, from netip.Addr) (*mcp.Agent, error)

// mcpPath is where assistants ask.
const mcpPath = "/mcp"

// mostMessage is the maximum size of a message, in bytes. It has space for a file of 4 MB.
const mostMessage = 8 << 20

// mcpRoutes are there if the site has switched the protocol on. It has no session and no
// stream of its own, so there is only POST.
func mcpRoutes(site *schema.Site) []Route {
	if !site.Settings.MCP.Enabled {
		return nil
	}
	return []Route{{Method: http.MethodPost, Path: mcpPath, Open: true, lenient: true, identifies: true, handler: answerMCP}}
}

// answerMCP answers one message of an assistant.
func answerMCP(x *request) error {
	if !x.sameOrigin() {
		return x.answerMessage(mcp.Refusal(http.StatusForbidden, invalidRequest, "Pages of other sites may not use this"))
	}
	err := x.serveAs(x.agent())
	if p := explain(err); err != nil && p != nil && p.Status == http.StatusUnauthorized {
		x.Header()["Www-Authenticate"] = []string{x.challenge()}
		return x.answerMessage(mcp.Refusal(http.StatusUnauthorized, serverError, "Authentication required"))
	}
	return err
}

// Codes of JSON-RPC.
const (
	invalidRequest = -32600
	serverError    = -32000
)

// sameOrigin refuses requests that a page of another site sends, also one whose name leads to
// this machine since a moment ago: it names the origin of the page.
func (x *request) sameOrigin() bool {
	delete(x.Header(), "Access-Control-Allow-Origin")
	for _, origin := range x.http.Header["Origin"] {
		u, err := url.Parse(origin)
		if own := x.site.schema.Settings.URL; err != nil || origin != own && !(own == "" && isLocal(u.Hostname()) && u.Host == x.http.Host) {
			return false
		}
	}
	return true
}

// isLocal reports whether a host is this machine by a name that cannot be made to lead here.
func isLocal(host string) bool {
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && address.IsLoopback()
}

// agent returns what finds the assistant that asks. Only the token of an assistant counts:
// each of its changes has an owner.
func (x *request) agent() func() (*mcp.Agent, error) {
	bearer, ok := x.credential()
	find, from := x.server.assistants, x.client()
	if bearer = strings.Clone(bearer); !ok || find == nil {
		return func() (*mcp.Agent, error) { return nil, auth.ErrNoAccount }
	}
	return func() (*mcp.Agent, error) { return find(bearer, from) }
}

// challenge says where an assistant gets a token.
func (x *request) challenge() string {
	if x.site.schema.Settings.URL == "" {
		return "Bearer"
	}
	return `Bearer resource_metadata="` + x.site.schema.Settings.URL + `/.well-known/oauth-protected-resource` + mcpPath + `"`
}

// serveAs answers a message on behalf of an assistant, which find finds at each moment.
func (x *request) serveAs(find func() (*mcp.Agent, error)) error {
	agent, err := find()
	if err != nil {
		return err
	}
	x.who = func() (auth.Identity, error) {
		now, err := find()
		if err != nil {
			return auth.Identity{}, err
		}
		return now.Identity, nil
	}
	x.setCaller(agent.Identity)
	x.call.V4 = false
	x.forbidCaching()
	kind, message, err := openBody(x, mostMessage)
	if err != nil {
		return err
	}
	if kind != jsonBody {
		return x.answerMessage(mcp.Refusal(http.StatusUnsupportedMediaType, invalidRequest, "A message is JSON, with the Content-Type application/json"))
	}
	ctx := x.http.Context()
	if agent.Source != nil {
		ctx = audit.With(ctx, agent.Source)
	}
	x.http = x.http.WithContext(ctx)
	x.http = x.http.WithContext(x.asCaller())
	q := &mcp.Request{Agent: agent, Call: &x.call, Host: &mcpHost{x}}
	response, err := x.site.mcp.Serve(x.http.Context(), q, x.http.Header, message)
	if err != nil {
		return err
	}
	if err := x.http.Context().Err(); err != nil {
		return err
	}
	return x.answerMessage(response)
}

// answerMessage sends a response of the protocol.
func (x *request) answerMessage(r *mcp.HTTPResponse) error {
	x.dropTag()
	if r.Kind == "" {
		x.WriteHeader(r.Status)
		return nil
	}
	if len(r.Body) > smallAnswer {
		if err := x.Reserve(len(r.Body)); err != nil {
			return err
		}
	}
	x.Header()["Content-Type"] = []string{r.Kind}
	x.send(r.Status, r.Body)
	return nil
}

// smallAnswer is how many bytes of a response are not counted.
const smallAnswer = 64 << 10

// mcpHost does for an assistant what is not about documents.
type mcpHost struct{ *request }

// JoinWrites counts the request as a write.
func (h *mcpHost) JoinWrites() error { return h.share.JoinWrites() }

// Explain returns what an error is for the assistant, and logs a defect.
func (h *mcpHost) Explain(err error) *documents.Problem {
	if own := documents.Explain(err); own != nil {
		return own
	}
	p := explain(err)
	if p == nil {
		p = h.server.report(h.id[0], err, nil)
	}
	kind := documents.Internal
	if at := slices.Index(statuses[:], p.Status); at > 0 {
		kind = documents.Kind(at)
	}
	return &documents.Problem{Kind: kind, Name: p.Name, Message: p.Message, Details: p.Details}
}

// Ask makes a request for a route below /api as the assistant.
func (h *mcpHost) Ask(method, path string, query url.Values, kind string, form []byte) (body.JSON, error) {
	w := h.requestWithin(method, &url.URL{Path: path, RawQuery: query.Encode()}, kind, form,
		"If-Match", "If-None-Match", "Strapi-Response-Format", "Accept", "Accept-Encoding", "Content-Encoding", "X-Quire-Plan")
	h.call.Latest()
	if w.status < http.StatusBadRequest {
		return w.body.Bytes(), nil
	}
	var refused struct{ Error problem }
	if err := json.Unmarshal(w.body.Bytes(), &refused); err != nil {
		return nil, err
	}
	return nil, &refused.Error
}

// Picture returns a version of a picture in the library.
func (h *mcpHost) Picture(ctx context.Context, name string, side int) (string, []byte, error) {
	return h.site.smallPicture(ctx, name, side)
}

// SmallPicture returns a picture of the library as a JPEG whose sides have up to so many pixels,
// for a request that a mount serves. The mount decides who may see it.
func (s *Server) SmallPicture(r *http.Request, documentID string, side int) ([]byte, error) {
	x := requestOf(r)
	file, ok := x.site.index.Snapshot().Lookup(x.site.files(), store.Published).ByDocument(documentID, "")
	if !ok {
		return nil, media.ErrNotFound
	}
	url := file.Text("url")
	_, data, err := x.site.smallPicture(r.Context(), url[strings.LastIndexByte(url, '/')+1:], side)
	return data, err
}

// smallPicture returns a version of the picture with the url /uploads/NAME.
func (e *siteVersion) smallPicture(ctx context.Context, name string, side int) (string, []byte, error) {
	p, err := e.library.Picture(name, media.Ask{Width: side, Height: side, Quality: 70, Format: "jpeg"}, false)
	if err != nil {
		return "", nil, err
	}
	made, err := e.library.Make(ctx, p)
	if err != nil {
		return "", nil, err
	}
	if made.File == nil {
		return p.Mime(), made.Data, nil
	}
	defer made.File.Close()
	data, err := io.ReadAll(io.LimitReader(made.File, edge.Memory))
	return p.Mime(), data, err
}
