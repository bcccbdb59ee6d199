package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// newClient returns the client of fetch. It checks each address when it is dialed, so that
// neither a redirect nor a name that leads elsewhere gets around the check.
func newClient(allowed func(netip.Addr) error) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		switch {
		case err != nil:
			return fmt.Errorf("%q is not an address that can be checked", address)
		case allowed == nil:
			return errors.New("the code of this site has no network")
		}
		return allowed(at.Addr())
	}}
	return &http.Client{Timeout: maxFetchTime, Transport: &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 256 << 10,
	}}
}

type fetchRequest struct {
	URL, Method, Redirect string
	Headers               [][2]string
	Body                  *string // Latin 1
}

type fetchResponse struct {
	URL        string      `json:"url"`
	Status     int         `json:"status"`
	StatusText string      `json:"statusText"`
	Redirected bool        `json:"redirected"`
	Headers    [][2]string `json:"headers"`
	Body       string      `json:"body"` // Latin 1
}

// fetch sends a request and reads its response.
func (e *Engine) fetch(ctx context.Context, text string) ([]byte, error) {
	var r fetchRequest
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, err
	}
	request, err := r.request(ctx)
	if err != nil {
		return nil, fetchError(err)
	}
	client := *e.client
	redirected := false
	client.CheckRedirect = func(to *http.Request, before []*http.Request) error {
		redirected = true
		switch {
		case r.Redirect == "manual":
			return http.ErrUseLastResponse
		case r.Redirect == "error":
			return errors.New("a redirect is not allowed")
		case to.URL.Scheme != "http" && to.URL.Scheme != "https":
			return fmt.Errorf("a redirect leads to the scheme %s", to.URL.Scheme)
		case len(before) > maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return nil
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fetchError(err)
	}
	defer response.Body.Close()
	out, err := readResponse(response)
	if err != nil {
		return nil, fetchError(err)
	}
	out.Redirected = redirected && r.Redirect != "manual"
	return json.Marshal(out)
}

func readResponse(r *http.Response) (*fetchResponse, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxFetched+1))
	if err == nil && len(body) > maxFetched {
		err = fmt.Errorf("the response has more than %d bytes", maxFetched)
	}
	if err != nil {
		return nil, err
	}
	out := &fetchResponse{
		URL: r.Request.URL.String(), Status: r.StatusCode, Body: toLatin1(body),
		StatusText: strings.TrimPrefix(r.Status, fmt.Sprint(r.StatusCode, " ")),
	}
	for name, values := range r.Header {
		for _, v := range values {
			out.Headers = append(out.Headers, [2]string{strings.ToLower(name), v})
		}
	}
	return out, nil
}

func (r *fetchRequest) request(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	if r.Body != nil {
		body = strings.NewReader(string(fromLatin1(*r.Body)))
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err != nil {
		return nil, err
	}
	if s := request.URL.Scheme; s != "http" && s != "https" {
		return nil, fmt.Errorf("fetch knows the schemes http and https, not %s", s)
	}
	for _, h := range r.Headers {
		switch strings.ToLower(h[0]) {
		case "accept-encoding", "connection", "content-length", "transfer-encoding": // of the client
		case "host":
			request.Host = h[1]
		default:
			request.Header.Add(h[0], h[1])
		}
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "quire")
	}
	return request, nil
}

// fetchError is the TypeError of fetch, with its cause in the details.
func fetchError(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return &Error{Name: "TypeError", Message: "fetch failed: " + err.Error()}
}
