package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of documents that describe clients.
const (
	longestAddress  = 300      // bytes of the address, which is the id of the client
	longestDocument = 16 << 10 // bytes
	documentLasts   = 10 * time.Minute
	mostDocuments   = 100
)

// Clients finds clients by their ids. Its methods may be called from any goroutine.
type Clients struct {
	sealer encryption
	dial   func(allow func(netip.Addr) error) *http.Client
	now    func() time.Time

	mu    sync.Mutex
	known map[string]document // by address, at most mostDocuments
}

type document struct {
	client *Client
	until  time.Time
}

// NewClients returns Clients. dial returns an HTTP client that sends requests only to the
// addresses that a function allows, follows no redirects, and takes a limited time.
func NewClients(sealer encryption, dial func(allow func(netip.Addr) error) *http.Client) *Clients {
	return &Clients{sealer: sealer, dial: dial, now: time.Now, known: map[string]document{}}
}

// Find returns the client with an id. The id of one that has not registered is the address of
// a document about it, which is read if its host has an address that allow accepts. Errors
// are *Error.
func (c *Clients) Find(ctx context.Context, id string, allow func(netip.Addr) error) (*Client, error) {
	if strings.HasPrefix(id, registeredPrefix) {
		return c.open(id)
	}
	if why := wrongAddress(id); why != "" {
		return nil, refuse("invalid_client", "client_id is the id of a registered client, or the address of its document, which %s", why)
	}
	c.mu.Lock()
	known, ok := c.known[id]
	c.mu.Unlock()
	if ok && c.now().Before(known.until) {
		return known.client, nil
	}
	found, err := c.read(ctx, id, allow)
	if err != nil {
		return nil, err
	}
	c.remember(found)
	return found, nil
}

// wrongAddress says what is wrong with the address of a document; empty for nothing.
func wrongAddress(id string) string {
	u, err := url.Parse(id)
	switch {
	case err != nil || len(id) > longestAddress || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return fmt.Sprintf("has at most %d characters", longestAddress)
	case u.Scheme != "https" || u.Host == "" || u.Opaque != "":
		return "begins with https"
	case u.User != nil || strings.Contains(id, "#") || u.Path == "" || u.Path == "/":
		return "has a path, no user and no fragment"
	case strings.Contains(u.Path+"/", "/./") || strings.Contains(u.Path+"/", "/../"):
		return "has no dots as parts of its path"
	}
	if n, _ := strconv.Atoi(u.Port()); strings.HasSuffix(u.Host, ":") || u.Port() != "" && n != 443 && n < 1024 {
		return "has no port below 1024 but 443" // where other services listen
	}
	return ""
}

// read reads the document about a client.
func (c *Clients) read(ctx context.Context, id string, allow func(netip.Addr) error) (*Client, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, errUnread
	}
	request.Header.Set("Accept", "application/json")
	client := c.dial(allow)
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return nil, errUnread
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, errUnread
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, longestDocument+1))
	if err != nil || len(text) > longestDocument {
		return nil, errUnread
	}
	return parseDocument(id, text)
}

var errUnread = &Error{"invalid_client", fmt.Sprintf("the document of the client cannot be read: its host must be public, and answer at once with at most %d KiB of JSON", longestDocument>>10)}

// parseDocument reads a document. It must be about the client that its address names.
func parseDocument(id string, text []byte) (*Client, error) {
	var d struct {
		ID        string   `json:"client_id"`
		Name      string   `json:"client_name"`
		Redirects []string `json:"redirect_uris"`
		Method    string   `json:"token_endpoint_auth_method"`
	}
	switch err := json.Unmarshal(text, &d); {
	case err != nil:
		return nil, errUnread
	case d.ID != id:
		return nil, refuse("invalid_client", "the document is about another client: its client_id is not its address")
	case d.Method != "" && d.Method != "none":
		return nil, refuse("invalid_client", "clients have no secret here: token_endpoint_auth_method must be none")
	}
	name, err := checkClient(d.Name, d.Redirects, "invalid_client")
	if err != nil {
		var wrong *Error
		errors.As(err, &wrong)
		return nil, refuse("invalid_client", "%s", wrong.Description)
	}
	return &Client{id, name, d.Redirects}, nil
}

// remember keeps a client for a while.
func (c *Clients) remember(one *Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if len(c.known) >= mostDocuments {
		clear(c.known) // they are read again when they are asked for
	}
	c.known[one.ID] = document{one, now.Add(documentLasts)}
}
