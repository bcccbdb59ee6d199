package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"quire/auth"
	"quire/documents"
	"quire/server/edge"
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
	if one, ok := errors.AsType[*requestError](err); ok {
		return explain(one.err).of(one.request)
	}
	if own, ok := errors.AsType[*problem](err); ok {
		return own
	}
	if p := explainEdge(err); p != nil {
		return p
	}
	if p := documents.Explain(err); p != nil {
		return problemOf(p)
	}
	return explainWebhook(err)
}

// statuses are the statuses of problems.
var statuses = [...]int{
	documents.Invalid: http.StatusBadRequest, documents.Unauthorized: http.StatusUnauthorized, documents.Forbidden: http.StatusForbidden,
	documents.NotFound: http.StatusNotFound, documents.Conflict: http.StatusConflict, documents.Gone: http.StatusGone,
	documents.Changed: http.StatusPreconditionFailed, documents.TooLarge: http.StatusRequestEntityTooLarge,
	documents.Throttled: http.StatusTooManyRequests, documents.Busy: http.StatusServiceUnavailable, documents.Full: http.StatusInsufficientStorage,
}

// problemOf returns a problem of documents as a client sees it.
func problemOf(p *documents.Problem) *problem {
	seen := &problem{p.Status, p.Name, p.Message, p.Details}
	if p.Status == 0 {
		seen.Status = statuses[p.Kind]
	}
	if p.Details == nil {
		seen.Details = none{}
	}
	return seen
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

// setRetryAfter sets how many seconds a throttled client has to wait, and counts the
// response.
func (x *request) setRetryAfter(err error) {
	if throttled, ok := errors.AsType[*auth.ThrottledError](err); ok {
		if errors.As(err, new(*ratedError)) {
			x.server.load.CountRated()
		} else {
			x.server.load.CountThrottled()
		}
		x.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(float64(throttled.Wait)/float64(time.Second)))))
	}
}
