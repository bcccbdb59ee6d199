package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"quire/server"
)

// Responses about content consist of responses of the content API to requests of this
// process, in the name of the account. Their memory counts as that of the whole request.

// reply is the response of the content API to a request of this process.
type reply struct {
	status int
	header http.Header
	body   bytes.Buffer
	large  bool // it has more than mostReply bytes
}

func (r *reply) Header() http.Header { return r.header }

func (r *reply) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}

func (r *reply) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.large = r.large || r.body.Len()+len(p) > mostReply; r.large {
		return len(p), nil
	}
	return r.body.Write(p)
}

// mostReply limits one response that is part of another: an entry of the largest size, with
// populated others.
const mostReply = 16 << 20

// get requests a path below /api from the content API. An error of the API is returned as
// an error with the same status, unless its status is among passed.
func (x *exchange) get(path string, query url.Values, passed ...int) (*reply, error) {
	r := (&http.Request{
		Method: http.MethodGet, URL: &url.URL{Path: "/api/" + path, RawQuery: query.Encode()}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Host: x.request.Host, RemoteAddr: x.request.RemoteAddr,
	}).WithContext(x.request.Context())
	r.RequestURI = r.URL.RequestURI()
	answered := &reply{header: http.Header{}}
	x.admin.Server.ServeAs(answered, r, x.admin.identify(x.token))
	if err := x.request.Context().Err(); err != nil {
		return nil, err
	}
	x.held += 3 * answered.body.Cap() // the response, what is read from it, and its part of the whole response
	if err := x.admin.Server.Hold(x.request, x.held); err != nil {
		return nil, err
	}
	if answered.large {
		return nil, invalid(fmt.Sprintf("This document shows more than %d MiB", mostReply>>20))
	}
	if answered.status >= http.StatusBadRequest && !slices.Contains(passed, answered.status) {
		return nil, answered.problem()
	}
	return answered, nil
}

// problem returns the error in the response of the content API.
func (r *reply) problem() error {
	var said struct {
		Error struct {
			Name, Message string
			Details       json.RawMessage
		}
	}
	if err := json.Unmarshal(r.body.Bytes(), &said); err != nil {
		return fmt.Errorf("the content API answered %d: %w", r.status, err)
	}
	return server.Problem(r.status, said.Error.Name, said.Error.Message, said.Error.Details)
}

// data returns the data member of the response.
func (r *reply) data() (json.RawMessage, error) {
	var said struct {
		Data json.RawMessage
	}
	err := json.Unmarshal(r.body.Bytes(), &said)
	return said.Data, err
}

// version returns the version of the document in the response; 0 if there is none.
func (r *reply) version() (uint64, error) {
	text := r.header.Get("Quire-Version")
	if text == "" {
		return 0, nil
	}
	return strconv.ParseUint(text, 10, 64)
}

// into reads the whole response.
func (r *reply) into(value any) error { return json.Unmarshal(r.body.Bytes(), value) }
