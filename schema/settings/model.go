package settings

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/schema/source"
)

// Model is a language model that makes suggestions in the admin. The key for it is in the
// environment.
type Model struct {
	URL      string        // of its chat API: "http://localhost:11434/v1/chat/completions"
	Name     string        // what the API calls it
	Pictures bool          // it can look at pictures
	Timeout  time.Duration // of one answer, 1 minute
	Calls    int           // that one account may make in a minute, 30
}

const (
	defaultModelTimeout = 60  // seconds
	longestModelTimeout = 100 // seconds: a response of the admin takes at most 2 minutes
	defaultModelCalls   = 30
	mostModelCalls      = 1000
	longestModelName    = 100 // characters
)

// readModel reads "model": {"url": ..., "name": ..., "pictures": true, "timeout": 60, "calls": 30}.
func (a *Admin) readModel(parent source.Object) {
	if _, ok := parent.Get("model"); !ok {
		return
	}
	o := parent.Object("model")
	o.Only("url", "name", "pictures", "timeout", "calls")
	m := &Model{URL: o.Text("url"), Name: o.Text("name"), Pictures: o.Flag("pictures", false)}
	if why := checkModelURL(m.URL); why != "" {
		o.RefuseAt("url", why, `write the whole address of its chat API, such as "http://localhost:11434/v1/chat/completions"`)
	}
	if m.Name == "" || utf8.RuneCountInString(m.Name) > longestModelName || strings.ContainsFunc(m.Name, unicode.IsControl) {
		o.RefuseAt("name", "must be a text of 1 to 100 characters", `write what the API calls the model, such as "llama3.2"`)
	}
	seconds := o.Whole("timeout", 1, defaultModelTimeout)
	if seconds > longestModelTimeout {
		o.RefuseAt("timeout", "is longer than 100 seconds", "lower it; whoever asked waits that long")
	}
	m.Timeout = time.Duration(seconds) * time.Second
	if m.Calls = o.Whole("calls", 1, defaultModelCalls); m.Calls > mostModelCalls {
		o.RefuseAt("calls", "is more than 1000 in a minute", "lower it")
	}
	a.Model = m
}

// checkModelURL returns why an address is not one of a chat API, or "".
func checkModelURL(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "https" && u.Scheme != "http" || len(address) > longestAddress:
		return "is not a web address"
	case u.User != nil || strings.Contains(address, "#"):
		return "has a password or a fragment; a key is in QUIRE_MODEL_KEY"
	case u.Scheme == "https":
		return ""
	}
	if literal, err := netip.ParseAddr(u.Hostname()); err == nil && !IsNear(literal) {
		return "sends texts and the key over the internet without encryption"
	}
	return ""
}

// near are the networks to which texts may be sent without encryption.
var near = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"),
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("fc00::/7"),
}

// IsNear reports whether an address is of this machine or of a private network.
func IsNear(a netip.Addr) bool {
	a = a.Unmap()
	return a.Zone() == "" && slices.ContainsFunc(near, func(p netip.Prefix) bool { return p.Contains(a) })
}

// show shows the model. It has no key.
func (m *Model) show() []Shown {
	if m == nil {
		m = &Model{Timeout: defaultModelTimeout * time.Second, Calls: defaultModelCalls}
	}
	return []Shown{
		{Key: "admin.model.url", Value: textOrNone(withoutValues(m.URL))}, {Key: "admin.model.name", Value: textOrNone(m.Name)}, {Key: "admin.model.pictures", Value: m.Pictures},
		inSeconds("admin.model.timeout", m.Timeout), {Key: "admin.model.calls", Value: m.Calls},
	}
}
