package webhook_test

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"quire/notify/webhook"
	"quire/schema/settings"
)

// oddNumber is an IPv4 address in the way in which C libraries read one.
var oddNumber = regexp.MustCompile(`^((0[xX][0-9a-fA-F]*|[0-9]+)(\.|$))+$`)

// Whatever a body says is a webhook to which a request can be made, with the headers that it
// names and no more, at a host that is no address of a private network however it is
// written; or it is refused with a reason.
func FuzzReadInput(f *testing.F) {
	for _, seed := range []string{
		`{"name": "a", "url": "https://example.org/hook?a=b", "events": ["entry.publish"], "types": ["api::tag.tag"], "locales": ["en"], "enabled": false}`,
		`{"name": "a", "url": "http://[::ffff:10.0.0.1]:8080/"}`, `{"name": "a", "url": "http://0x7f.1/"}`, `{"name": "a", "url": "http://2130706433"}`,
		`{"name": "a", "url": "http://[fe80::1%25eth0]/"}`, `{"name": "a", "url": "https://user:password@example.org"}`, `{"name": "a", "url": "http://127.0.0.1.:80"}`,
		`{"name": "a", "url": "https://example.org", "headers": {"Authorization": "Bearer a", "Cookie": "a=b"}}`, `{"name": "a", "url": "https://example.org", "headers": {"A": "b\r\nHost: c"}}`,
		`{"name": "a", "url": "http://１２７.0.0.1"}`, `{"headers": {"A": null}}`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	b := webhook.New(nil, loadSite(f, `{}`), nil, nil, webhook.Options{})
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := b.ReadInput(text, settings.Webhook{Enabled: true})
		if err != nil {
			if !errors.As(err, new(*webhook.RefusedError)) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		r, err := http.NewRequest(http.MethodPost, w.URL, nil)
		if err != nil || w.Name == "" || r.URL.User != nil || r.URL.Fragment != "" {
			t.Fatalf("%q was taken: %+v, %v", text, w, err)
		}
		for name, value := range w.Headers {
			r.Header.Set(name, value)
		}
		var sent bytes.Buffer
		if err := r.Write(&sent); err != nil {
			t.Fatalf("%q was taken: %v", text, err)
		}
		if read, err := http.ReadRequest(bufio.NewReader(&sent)); err != nil || len(read.Header) > len(r.Header)+2 || strings.ContainsAny(read.Host, " /@") {
			t.Fatalf("%q is sent as %+v, %v", text, read, err)
		}
		host := strings.TrimSuffix(r.URL.Hostname(), ".")
		if ip := net.ParseIP(host); ip != nil {
			a, _ := netip.AddrFromSlice(ip)
			if a = a.Unmap(); !a.IsGlobalUnicast() || a.IsPrivate() {
				t.Fatalf("%q leads to %s", text, a)
			}
		}
		if oddNumber.MatchString(host) && net.ParseIP(host) == nil {
			t.Fatalf("%q has a number for a host", text)
		}
	})
}
