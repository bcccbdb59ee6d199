package edge

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// callAsNode serves other nodes until the test ends, and returns a client and address to
// send requests as one of them.
func (s *site) callAsNode(t *testing.T) (*http.Client, string) {
	t.Helper()
	s.nodes = true
	secure := httptest.NewTLSServer(nil)
	defer secure.Close()
	address, _ := s.listenOver(t, &tls.Config{Certificates: secure.TLS.Certificates, NextProtos: []string{"h2"}})
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}, "https://" + address
}

// However many unread bodies wait on a connection between nodes, another one passes.
func TestABodyOfANodeHoldsUpNoOther(t *testing.T) {
	arrived, end := make(chan bool), make(chan bool)
	s := newSite(UsualPatience()).receives()
	receive := s.answer
	s.answer = func(q *Request, w http.ResponseWriter, r *http.Request) error {
		if r.URL.Path == "/waits" {
			arrived <- true
			<-end
			return nil
		}
		return receive(q, w, r)
	}
	client, url := s.callAsNode(t)
	body := bytes.Repeat([]byte("x"), 1<<20)
	var all sync.WaitGroup
	for range nodeStreams - 1 {
		all.Go(func() {
			if answer, err := client.Post(url+"/waits", "text/plain", bytes.NewReader(body)); err == nil {
				answer.Body.Close()
			}
		})
		<-arrived
	}
	answer, err := client.Post(url+"/", "text/plain", bytes.NewReader(body))
	if err != nil || answer.StatusCode != http.StatusNoContent || answer.ProtoMajor != 2 {
		t.Errorf("%v, %v", answer, err)
	}
	if n := s.Counts().Connections; n != 1 {
		t.Errorf("there are %d connections", n)
	}
	close(end)
	all.Wait()
}

// A header that a client may send is accepted by another node too, where it counts as
// larger.
func TestAHeaderOfShortFieldsAmongNodes(t *testing.T) {
	client, url := newSite(UsualPatience()).callAsNode(t)
	r, err := http.NewRequest(http.MethodGet, url+"/", nil)
	check(t, err)
	r.Header["A"] = strings.Split(strings.Repeat("1,", headerBytes/len("a:1\r\n")), ",")
	answer, err := client.Do(r)
	if err != nil || answer.StatusCode != http.StatusNoContent {
		t.Errorf("%v, %v", answer, err)
	}
}
