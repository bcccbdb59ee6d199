package follow

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"quire/store"
)

// The paths of a leader for its followers.
const (
	StatePath   = "/api/_follow"
	BatchesPath = "/api/_follow/batches" // ?lineage=N&revision=N, the commit to go on after
	ImagePath   = "/api/_follow/image"
	FilesPath   = "/api/_follow/files/" // and the name of a file in the storage
	SitePath    = "/api/_follow/site"
	FencePath   = "/api/_follow/fence"
)

// Headers of an image.
const (
	ImageLineage  = "Quire-Image-Lineage"
	ImageRevision = "Quire-Image-Revision"
	ImageSize     = "Quire-Image-Size" // of the data file, in bytes
)

// Leader is the server that a follower follows.
type Leader struct {
	address *url.URL
	token   string
	client  *http.Client
	patient *http.Client // whose responses may take long
}

const (
	dialTime   = 2 * time.Second
	answerTime = 10 * time.Second // until the header of a response
)

// NewLeader returns the leader at an address like https://guide.example.org. The token is
// one that may follow.
func NewLeader(address, token string) (*Leader, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return nil, errors.New("the address of the leader must be of the form https://HOST or http://HOST:PORT")
	}
	u.Path = ""
	transport := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:   answerTime,
		ResponseHeaderTimeout: answerTime,
		DisableCompression:    true,
		IdleConnTimeout:       time.Minute,
	}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	slow := transport.Clone()
	slow.ResponseHeaderTimeout, slow.ExpectContinueTimeout = 0, answerTime
	return &Leader{u, token, &http.Client{Transport: transport, CheckRedirect: refuse}, &http.Client{Transport: slow, CheckRedirect: refuse}}, nil
}

// String returns the address.
func (l *Leader) String() string { return l.address.String() }

// Token returns the token with which this server follows.
func (l *Leader) Token() string { return l.token }

// RefusalError is a response of the leader that is not a success.
type RefusalError struct {
	Address string
	Status  int
	Message string // of the leader
}

func (e *RefusalError) Error() string {
	switch e.Status {
	case http.StatusUnauthorized:
		return fmt.Sprintf("the leader at %s does not know the token in QUIRE_FOLLOW_TOKEN (401)", e.Address)
	case http.StatusForbidden:
		return fmt.Sprintf("the token in QUIRE_FOLLOW_TOKEN may not do that at the leader at %s (403); it must be a custom token with plugin::quire.follow.read, and plugin::quire.follow.fence to promote a follower", e.Address)
	case http.StatusNotFound:
		return fmt.Sprintf("the server at %s has no followers (404): is it Quire, and of the same version?", e.Address)
	}
	return fmt.Sprintf("the leader at %s answers %d: %s", e.Address, e.Status, e.Message)
}

// send sends a request. The response is a success, and the caller closes it.
func (l *Leader) send(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Response, error) {
	r, err := l.request(ctx, method, path, query, body)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return l.success(l.client.Do(r))
}

// Send posts a large body, and waits for the response as long as it takes. The response is a
// success, and the caller closes it.
func (l *Leader) Send(ctx context.Context, path string, query url.Values, body io.Reader) (*http.Response, error) {
	r, err := l.request(ctx, http.MethodPost, path, query, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("Expect", "100-continue") // a refusal comes before the body is sent
	return l.success(l.patient.Do(r))
}

func (l *Leader) request(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Request, error) {
	to := *l.address
	to.Path, to.RawQuery = path, query.Encode()
	r, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err == nil {
		r.Header.Set("Authorization", "Bearer "+l.token)
	}
	return r, err
}

// success returns a response that is one; others are errors.
func (l *Leader) success(response *http.Response, err error) (*http.Response, error) {
	if err != nil {
		return nil, l.explain(err)
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	var said struct{ Error struct{ Message string } }
	_ = json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&said) // the status is enough
	return nil, &RefusalError{l.String(), response.StatusCode, said.Error.Message}
}

// explain returns an error of the connection, without the address that it repeats.
func (l *Leader) explain(err error) error {
	if cause := new(url.Error); errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Errorf("the leader at %s cannot be reached: %w", l, err)
}

// State asks the leader about itself.
func (l *Leader) State(ctx context.Context) (s State, err error) {
	return s, l.ask(ctx, http.MethodGet, StatePath, nil, &s)
}

// Fencing is the request that a server writes no more, because another one is the leader.
type Fencing struct {
	Epoch    uint64 `json:"epoch,string"`    // of the other leader
	Leader   string `json:"leader"`          // its address, if it is known
	Lineage  uint64 `json:"lineage,string"`  // with Revision the last commit that the other one has of this server; 0 if it takes what there is
	Revision uint64 `json:"revision,string"` // see Lineage
}

// Commit returns the last commit that the other server has of this one.
func (f Fencing) Commit() *store.CommitID {
	return &store.CommitID{Lineage: f.Lineage, Revision: f.Revision}
}

// Fence makes the leader refuse all further writes. It returns its last commit.
func (l *Leader) Fence(ctx context.Context, f Fencing) (last State, err error) {
	text, err := json.Marshal(f)
	if err != nil {
		return last, err
	}
	return last, l.ask(ctx, http.MethodPost, FencePath, strings.NewReader(string(text)), &last)
}

// ask sends a request whose response is small.
func (l *Leader) ask(ctx context.Context, method, path string, body io.Reader, result any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	response, err := l.send(ctx, method, path, nil, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(result); err != nil {
		return fmt.Errorf("the leader at %s: %w: %v", l, errFrame, err)
	}
	return nil
}

// File opens a file in the storage of the leader.
func (l *Leader) File(ctx context.Context, name string) (io.ReadCloser, error) {
	response, err := l.send(ctx, http.MethodGet, FilesPath+name, nil, nil)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// mostSite limits what a leader sends of its site folder.
const mostSite = 64 << 20

// Site returns the files of the site folder that say what the site is, by their names.
func (l *Leader) Site(ctx context.Context) (files map[string]string, err error) {
	response, err := l.send(ctx, http.MethodGet, SitePath, nil, nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(io.LimitReader(response.Body, mostSite)).Decode(&files); err != nil {
		return nil, fmt.Errorf("the leader at %s: %w: %v", l, errFrame, err)
	}
	return files, nil
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }
