package model

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"quire/schema/settings"
)

// Limits of the requests to a model.
const (
	MostRunning    = 8       // requests at once
	MostOfAccount  = 2       // of them, for one account
	mostSent       = 1 << 20 // bytes of a request
	mostReceived   = 1 << 20 // bytes of an answer
	mostHeaders    = 64 << 10
	connectTimeout = 10 * time.Second
)

// Request is what a model is asked.
type Request struct {
	Task    string // what to do
	Text    string // the data for that; no instructions
	Picture []byte // a JPEG to look at; nil for none
}

// Error is why there is no answer, in words for the person who asked. It has neither the key
// nor anything that the other side has sent.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// ErrBusy refuses a request because too many others are running.
var ErrBusy = errors.New("too many requests to the language model are running")

// Client sends requests to the model of the site.
type Client struct {
	key       string
	plain     *http.Client // for addresses that begin with http
	encrypted *http.Client

	mu      sync.Mutex
	total   int
	running map[string]int // by account
}

// New returns a client that sends a key; an empty one is not sent.
func New(key string) *Client {
	near := func(_, address string, _ syscall.RawConn) error {
		if at, err := netip.ParseAddrPort(address); err != nil || !settings.IsNear(at.Addr()) {
			return errFar
		}
		return nil
	}
	return &Client{key: key, plain: newHTTP(near), encrypted: newHTTP(nil), running: map[string]int{}}
}

var errFar = errors.New("the address is on the internet, and not encrypted")

func newHTTP(check func(network, address string, _ syscall.RawConn) error) *http.Client {
	dialer := &net.Dialer{Timeout: connectTimeout, Control: check}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: connectTimeout,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: mostHeaders,
		},
	}
}

// Ask sends a request on behalf of an account, and returns the text of the answer. Errors are
// *Error, ErrBusy and that of the context.
func (c *Client) Ask(ctx context.Context, m *settings.Model, account string, r Request) (string, error) {
	if !c.enter(account) {
		return "", ErrBusy
	}
	defer c.leave(account)
	body, err := encode(m.Name, &r)
	if err != nil {
		return "", err
	}
	if len(body) > mostSent {
		return "", &Error{"The text is too long for a suggestion"}
	}
	limited, cancel := context.WithTimeout(ctx, m.Timeout)
	defer cancel()
	text, err := c.send(limited, m.URL, body)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		return "", &Error{fmt.Sprintf("The language model did not answer within %.0f seconds", m.Timeout.Seconds())}
	}
	return text, err
}

// enter takes a place among the running requests.
func (c *Client) enter(account string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.total >= MostRunning || c.running[account] >= MostOfAccount {
		return false
	}
	c.total++
	c.running[account]++
	return true
}

func (c *Client) leave(account string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total--
	if c.running[account]--; c.running[account] == 0 {
		delete(c.running, account)
	}
}

// encode returns the body of a request to the chat API.
func encode(name string, r *Request) ([]byte, error) {
	type chatMessage struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
	content := any(r.Text)
	if r.Picture != nil {
		url := "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(r.Picture)
		content = []any{map[string]any{"type": "text", "text": r.Text}, map[string]any{"type": "image_url", "image_url": map[string]any{"url": url}}}
	}
	return json.Marshal(map[string]any{"model": name, "stream": false, "messages": []chatMessage{{"system", r.Task}, {"user", content}}})
}

// send sends a body and reads the answer.
func (c *Client) send(ctx context.Context, url string, body []byte) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return "", &Error{"The address of the language model cannot be used"}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "quire")
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	client := c.encrypted
	if request.URL.Scheme == "http" {
		client = c.plain
	}
	response, err := client.Do(request)
	switch {
	case errors.Is(err, errFar):
		return "", &Error{"The address of the language model is on the internet; it must begin with https"}
	case err != nil:
		return "", &Error{"The language model cannot be reached"}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", &Error{refusal(response.StatusCode)}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, mostReceived+1))
	switch {
	case err != nil:
		return "", &Error{"The answer of the language model broke off"}
	case len(text) > mostReceived:
		return "", &Error{"The answer of the language model is too long"}
	}
	return decode(text)
}

// refusal says what a status means.
func refusal(status int) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Sprintf("The language model refuses the key of this site (%d)", status)
	case status == http.StatusTooManyRequests:
		return "The language model gets too many requests at the moment (429); try again later"
	case status >= 300 && status < 400:
		return fmt.Sprintf("The language model answers with a redirect (%d), which is not followed", status)
	}
	return fmt.Sprintf("The language model answers with an error (%d)", status)
}

// decode returns the text in an answer of the chat API.
func decode(text []byte) (string, error) {
	var answer struct {
		Choices []struct {
			Finish  string `json:"finish_reason"`
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	switch err := json.Unmarshal(text, &answer); {
	case err != nil || len(answer.Choices) == 0:
		return "", &Error{"The address of the language model does not answer as a chat API"}
	case answer.Choices[0].Finish == "length":
		return "", &Error{"The answer of the language model was cut off; ask for less at a time"}
	}
	return answer.Choices[0].Message.Content, nil
}
