package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"quire/auth"
	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/media"
	"quire/query"
	"quire/query/params"
	"quire/server/edge"
	"quire/store"
)

// problem is an error as a client sees it. As an error value, it is an error of the server
// itself.
type problem struct {
	Status  int    `json:"status"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Details any    `json:"details"`
}

func (p *problem) Error() string { return p.Message }

// none is the details of an error without details.
type none struct{}

// publishes refuses a write that would publish, if the caller may only write drafts.
func publishes(r *Route) *problem {
	return &problem{403, "ForbiddenError", fmt.Sprintf("This publishes, which needs %s; %s allows it with status=draft", r.Permission, r.Draft), none{}}
}

func notFound() *problem  { return &problem{404, "NotFoundError", "Not Found", none{}} }
func forbidden() *problem { return &problem{403, "ForbiddenError", "Forbidden", none{}} }
func invalid(message string) *problem {
	return &problem{400, "ValidationError", message, none{}}
}

func methodNotAllowed() *problem {
	return &problem{405, "MethodNotAllowedError", "Method Not Allowed", none{}}
}

// unavailable asks the client to retry the request a little later.
func unavailable(message string) *problem {
	return &problem{503, "ServiceUnavailableError", message, none{}}
}

// internal is the response to a defect. The id is in the log, with the details for the
// operator.
func internal(id string) *problem {
	details := struct {
		ID string `json:"id"`
	}{id}
	return &problem{500, "InternalServerError", "Internal Server Error", details}
}

// explain returns the problem that an error is for a client. It returns nil for errors that
// concern only the operator.
func explain(err error) *problem {
	var one *requestError
	if errors.As(err, &one) {
		return explain(one.err).of(one.request)
	}
	var own *problem
	if errors.As(err, &own) {
		return own
	}
	for _, explainOf := range explanations {
		if p := explainOf(err); p != nil {
			return p
		}
	}
	return nil
}

// explanations are tried in this order. Each returns nil for an error that it does not know.
var explanations = []func(error) *problem{
	explainEdge, explainUncertain, explainAccess, explainAccounts, explainQuery, explainContent,
	explainHooks, explainConflict, explainRelease, explainWebhook, explainHistory, explainSync,
	explainPreview, explainStore, explainMedia, explainDisk,
}

// of is the problem of one request of a batch.
func (p *problem) of(request int) *problem {
	if p == nil {
		return nil
	}
	named := *p
	named.Details = ofRequest{request, p.Details}
	return &named
}

// ofRequest is details with the request of a batch that they belong to.
type ofRequest struct {
	request int
	details any
}

func (o ofRequest) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(o.details)
	if err != nil {
		return nil, err
	}
	named := fmt.Appendf(nil, `{"request":%d`, o.request)
	if members := bytes.TrimPrefix(text, []byte("{")); len(members) > 1 {
		named = append(append(named, ','), members...)
	} else {
		named = append(named, '}')
	}
	return named, nil
}

// explainEdge is for requests that exceed the limits of the server.
func explainEdge(err error) *problem {
	switch {
	case errors.Is(err, edge.ErrCrowded):
		return unavailable("There are too many requests under way; try again later")
	case errors.Is(err, edge.ErrMemory):
		return unavailable("There are too many large requests under way; try again later")
	case errors.Is(err, edge.ErrStreams):
		return unavailable("There are too many streams open; try again later")
	case errors.Is(err, edge.ErrAddressStreams):
		return &problem{http.StatusTooManyRequests, "RateLimitError", "Your address has too many streams open; close some, or try again later", none{}}
	case errors.Is(err, edge.ErrSlots):
		return unavailable("This query takes much work, and too many of that kind are under way; try again later, or ask for less: a filter that matches fewer entries, a smaller page, less in populate")
	}
	return nil
}

func explainAccess(err error) *problem {
	var unauthorized *auth.UnauthorizedError
	var denied *query.DraftError
	switch {
	case errors.As(err, &unauthorized):
		return &problem{401, "UnauthorizedError", unauthorized.Error(), none{}}
	case errors.As(err, &denied):
		return forbidden()
	case errors.Is(err, context.DeadlineExceeded):
		return unavailable("The request took too long and was given up")
	}
	return nil
}

// queryKey is the details about a refused key of a query.
type queryKey struct {
	Key    string  `json:"key"`
	Path   *string `json:"path"`
	Source string  `json:"source"`
	Param  string  `json:"param"`
}

func explainQuery(err error) *problem {
	var key *query.KeyError
	var param *params.ParamError
	var pagination *query.PaginationError
	var memory *index.MemoryError
	switch {
	case errors.As(err, &memory):
		return unavailable(fmt.Sprintf("There is no memory to search and order %s by %s; ask without it, or raise limits.indexMemory", memory.Type.UID, cmp.Or(memory.Path, "its links")))
	case errors.As(err, &key):
		return &problem{400, "ValidationError", key.Error(), queryKey{key.Key, NullIfEmpty(key.Path), "query", key.Param}}
	case errors.As(err, &param):
		return invalid(param.Error())
	case errors.As(err, &pagination):
		return &problem{400, "PaginationError", pagination.Error(), none{}}
	}
	return nil
}

// bodyKey is the details about a refused key of a body.
type bodyKey struct {
	Key    string  `json:"key"`
	Path   *string `json:"path"`
	Source string  `json:"source"`
}

func explainContent(err error) *problem {
	var key *body.KeyError
	var values *body.ValidationError
	var missing *content.NotFoundError
	var application *content.ApplicationError
	var denied *content.ForbiddenError
	switch {
	case errors.As(err, &denied):
		return &problem{http.StatusForbidden, "ForbiddenError", denied.Error(), denial{denied.Path, denied.Locale}}
	case errors.As(err, &key):
		return &problem{400, "ValidationError", key.Error(), bodyKey{key.Key, NullIfEmpty(key.Path), "body"}}
	case errors.As(err, &values):
		return &problem{400, "ValidationError", values.Error(), issues(values)}
	case errors.As(err, &missing):
		return notFound()
	case errors.As(err, &application):
		return &problem{400, "ApplicationError", application.Error(), none{}}
	}
	return nil
}

// denial is the details about something that the caller may not change.
type denial struct {
	Path   string `json:"path,omitempty"`
	Locale string `json:"locale,omitempty"`
}

// NullIfEmpty is a text that JSON shows as null if it is empty.
func NullIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// issue is one refused value in the details.
type issue struct {
	Path    []string        `json:"path"`
	Message string          `json:"message"`
	Name    string          `json:"name"`
	Value   json.RawMessage `json:"value,omitempty"`
}

func issues(e *body.ValidationError) any {
	if len(e.Issues) == 0 {
		return none{}
	}
	list := make([]issue, len(e.Issues))
	for i, each := range e.Issues {
		list[i] = issue{append([]string{}, each.Path...), each.Message, "ValidationError", each.Value}
	}
	return struct {
		Errors []issue `json:"errors"`
	}{list}
}

// explainUncertain is for writes that may have been stored. It is tried before the other
// causes of the error, such as a timeout, which would mean that the write was not done.
func explainUncertain(err error) *problem {
	if store.Uncertain(err) {
		return unavailable("The data file could not be written, and it is unknown whether this write was stored; look before you try again")
	}
	return nil
}

func explainStore(err error) *problem {
	var suspended *store.SuspendedError
	switch {
	case errors.As(err, new(*store.TooLargeError)):
		return &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError", "This changes more than can be written at once; change less at a time", none{}}
	case errors.Is(err, store.ErrHeld):
		return unavailable("The content is being replaced; try again when that is done")
	case errors.As(err, new(*store.RefusedError)) && !errors.Is(err, store.ErrFull):
		return unavailable("The nodes of this site do not take writes now; try again later")
	case errors.Is(err, store.ErrBehind):
		return unavailable("Other nodes of this site write so much that this could not be stored; try again")
	case errors.As(err, new(*store.JournalError)):
		return unavailable("The nodes of this site cannot agree on writes now; try again later")
	case errors.As(err, &suspended):
		return unavailable("Nothing can be written until the data file is reopened; try again later")
	case errors.Is(err, content.ErrClosed), errors.Is(err, store.ErrClosed):
		return unavailable("The site is being reloaded or stopped; try again")
	}
	return nil
}

// explainDisk is for data that was not stored, in the data file or beside it.
func explainDisk(err error) *problem {
	switch {
	case errors.Is(err, store.ErrFull):
		return &problem{507, "InsufficientStorageError", "There is no space left to store this", none{}}
	case errors.Is(err, store.ErrUnwritable):
		return unavailable("This could not be stored; try again later")
	}
	return nil
}

// explainMedia returns the problem that an error of the media library is for a client.
func explainMedia(err error) *problem {
	var large *media.TooLargeError
	var refused *media.TypeError
	var broken *media.ReadError
	var unmade *media.PictureError
	var unreachable *media.UnreachableError
	switch {
	case errors.As(err, &unreachable):
		return unavailable("The storage of files cannot be reached; try again later")
	case errors.As(err, &large):
		return &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError", large.Error(), none{}}
	case errors.As(err, &refused):
		return invalid(refused.Error())
	case errors.As(err, &broken):
		return invalid("The form could not be read to its end")
	case errors.As(err, &unmade) && unmade.Key != "":
		return &problem{http.StatusBadRequest, "ValidationError", unmade.Error(), bodyKey{unmade.Key, nil, "body"}}
	case errors.As(err, &unmade):
		return invalid(unmade.Error())
	case errors.Is(err, media.ErrChanged):
		return unavailable("The file was changed meanwhile; try again")
	case errors.Is(err, media.ErrBusy):
		return unavailable("There are too many pictures to be made; try again later")
	case errors.Is(err, media.ErrEmpty):
		return invalid("Files are empty")
	case errors.Is(err, media.ErrNotFound):
		return &problem{http.StatusNotFound, "NotFoundError", "file.notFound", none{}}
	}
	return nil
}

// body is the problem in the envelope of the API.
func (p *problem) body() []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	envelope := struct {
		Data  *none    `json:"data"`
		Error *problem `json:"error"`
	}{nil, p}
	if err := encoder.Encode(envelope); err != nil {
		return []byte(`{"data":null,"error":{"status":500,"name":"InternalServerError","message":"Internal Server Error","details":{}}}`)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// retryAfter is how many seconds an unavailable server asks clients to wait.
const retryAfter = "1"

func (p *problem) headers(h http.Header) {
	switch p.Status {
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", retryAfter)
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	}
}
