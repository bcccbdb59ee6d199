package settings

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestAddressesAreFilled(t *testing.T) {
	values := map[string]string{
		"slug": "plat-du-jour", "path": "a/../b?c=d&previewToken=x#e", "words": "crème brûlée +%", "dots": "..", "dot": ".", "host": "@evil.example", "long": strings.Repeat("x", longestValue+1),
		"up": "../..//evil.example", "back": "x\\.\t.\\x", "coded": "%2E%2e", "evil": "/evil.example", "full": "100%",
	}
	for _, test := range []struct{ address, want string }{
		{"https://example.org/{slug}", "https://example.org/plat-du-jour?previewToken=T"},
		{"https://example.org", "https://example.org?previewToken=T"},
		{"https://example.org/api/preview?secret=s&path=/fr/{slug}", "https://example.org/api/preview?secret=s&path=/fr/plat-du-jour&previewToken=T"},
		{"http://localhost:3000/#/{slug}", "http://localhost:3000/?previewToken=T#/plat-du-jour"},
		{"https://example.org/{path}", "https://example.org/a%2F..%2Fb%3Fc%3Dd%26previewToken%3Dx%23e?previewToken=T"},
		{"https://example.org/?q={path}", "https://example.org/?q=a%2F..%2Fb%3Fc%3Dd%26previewToken%3Dx%23e&previewToken=T"},
		{"https://example.org/{words}", "https://example.org/cr%C3%A8me%20br%C3%BBl%C3%A9e%20%2B%25?previewToken=T"},
		{"https://example.org/{host}/{slug}", "https://example.org/%40evil.example/plat-du-jour?previewToken=T"},
		{"https://example.org/x{dots}", "https://example.org/x..?previewToken=T"},
		{"https://example.org/?up={dots}", "https://example.org/?up=..&previewToken=T"},
		{"https://example.org/?path=/en/{full}/x", "https://example.org/?path=/en/100%25/x&previewToken=T"},
		{"https://example.org/?path=/{up}", ""}, // front ends go where such a path leads
		{"https://example.org/?path=/en/{dots}", ""},
		{"https://example.org/?path=/en/{back}", ""},
		{"https://example.org/?path=%2Fen%2F{coded}", ""},
		{"https://example.org/?path=/{evil}", ""},
		{"https://example.org/?path={evil}/x&to=//cdn.example.org/{evil}", "https://example.org/?path=%2Fevil.example/x&to=//cdn.example.org/%2Fevil.example&previewToken=T"},
		{"https://example.org/#/en/{up}", ""},
		{"https://example.org/{dots}", ""},
		{"https://example.org/{dot}/x", ""},
		{"https://example.org/{dot}{dot}", ""},
		{"https://example.org/.{dot}", ""},
		{"https://example.org/{none}", ""},
		{"https://example.org/{long}", ""},
	} {
		a, fault := parseAddress(test.address)
		if fault != "" {
			t.Errorf("%s %s", test.address, fault)
			continue
		}
		got, err := a.Fill(values, "T")
		var refused *PreviewError
		if got != test.want || (test.want == "") != errors.As(err, &refused) {
			t.Errorf("%s: %q, %v, want %q", test.address, got, err, test.want)
		}
		if refused != nil && !strings.Contains(test.address, "{"+refused.Name+"}") {
			t.Errorf("%s: %v", test.address, err)
		}
	}
}

// FuzzAddress puts values into an address, which stays the same address: with them
// another host, path or parameter cannot be reached.
func FuzzAddress(f *testing.F) {
	f.Add("https://example.org/{a}/x?y={b}", "slug", "1")
	f.Add("https://example.org/x#{a}", "a/b", "&previewToken=x")
	f.Add("http://[::1]:80/{a}.{b}", "..", "\x00")
	f.Add("https://example.org?{a}={b}", "%2e%2e", "é")
	f.Fuzz(func(t *testing.T, text, one, other string) {
		a, fault := parseAddress(text)
		if fault != "" {
			return
		}
		values := map[string]string{}
		for i, name := range a.Placeholders() {
			values[name] = []string{one, other}[i%2]
		}
		filled, err := a.Fill(values, "TOKEN")
		if err != nil {
			return
		}
		was, _ := url.Parse(strings.Join(a.texts, "x"))
		is, err := url.Parse(filled)
		if err != nil || is.Scheme != was.Scheme || is.Host != was.Host || is.User != nil {
			t.Fatalf("%q becomes %q: %v", text, filled, err)
		}
		if strings.Count(is.EscapedPath(), "/") != strings.Count(was.EscapedPath(), "/") || hasDots(is.EscapedPath()) {
			t.Errorf("%q leads to another place: %q", text, filled)
		}
		if strings.Count(is.RawQuery, "&") != strings.Count(was.RawQuery, "&")+1 && (was.RawQuery != "" || was.ForceQuery) || !strings.HasSuffix(is.RawQuery, "previewToken=TOKEN") {
			t.Errorf("%q has other parameters: %q", text, filled)
		}
	})
}

// The origins are part of a policy of pages, which a character of an address must not end.
func TestPreviewOriginsFitIntoAPolicy(t *testing.T) {
	s := &Settings{Previews: map[string]PreviewAddress{}}
	for uid, text := range map[string]string{
		"a": "https://b.example.org/{slug}", "b": "http://localhost:3000/?path={slug}", "c": "https://B.example.org", "d": "https://[::1]:8080/x",
		"e": "https://x;script-src/{slug}", "f": "https://x'y/", "g": "https://x,y/",
	} {
		if a, fault := parseAddress(text); fault == "" {
			s.Previews[uid] = a
		}
	}
	if got := strings.Join(s.PreviewOrigins(), " "); got != "http://localhost:3000 https://[::1]:8080 https://b.example.org" {
		t.Errorf("the origins are %s", got)
	}
}
