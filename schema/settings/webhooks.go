package settings

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"quire/schema/source"
)

// Webhook is where changes are sent to, and which: one of site.json's "webhooks", or one
// that was created through the API.
type Webhook struct {
	Name    string            `json:"name"`
	URL     string            `json:"url"`
	Events  []string          `json:"events"`  // of WebhookEvents; empty for all
	Types   []string          `json:"types"`   // uids; empty for all but users
	Locales []string          `json:"locales"` // empty for all
	Headers map[string]string `json:"headers"`
	Enabled bool              `json:"enabled"`
}

// WebhookEvents are Strapi's names of events.
var WebhookEvents = []string{
	"entry.create", "entry.update", "entry.delete", "entry.publish", "entry.unpublish",
	"media.create", "media.update", "media.delete",
}

// MaxWebhooks limits the webhooks of site.json, and also those created through the API.
const MaxWebhooks = 50

const (
	longestName         = 100  // characters
	longestURL          = 2048 // bytes
	mostHeaders         = 20
	longestHeader       = 4096 // bytes of a value
	firstOrdinaryPort   = 1024
	greatestPort        = 65535
	roleUID             = "plugin::users-permissions.role"
	httpPort, httpsPort = 80, 443
)

// readWebhooks reads "webhooks": [{"name", "url", ...}].
func (s *Settings) readWebhooks(config source.Object, known Types) {
	readNamed(config, "webhook", MaxWebhooks, "remove some", func(o source.Object) string {
		w := s.ReadWebhook(o, Webhook{Enabled: true}, known)
		s.Webhooks = append(s.Webhooks, w)
		return w.Name
	})
}

// ReadWebhook reads a webhook; missing members are those of former. What is not valid is
// added to the problems of o.
func (s *Settings) ReadWebhook(o source.Object, former Webhook, known Types) Webhook {
	o.Only("name", "url", "events", "types", "locales", "headers", "enabled")
	w := former
	w.Name = textOr(o, "name", w.Name)
	checkName(o, w.Name, "deploy")
	w.URL = textOr(o, "url", w.URL)
	if why := s.Events.checkReceiver(w.URL); why != "" {
		o.RefuseAt("url", why, `write a whole address, such as "https://example.org/hook"; name a private one in events.allowPrivate, too`)
	}
	if v, ok := o.Get("events"); ok {
		w.Events = readNames(v, func(m source.Word) bool {
			return oneOf(m, slices.Contains(WebhookEvents, m.Text), "an event", "the events are "+strings.Join(WebhookEvents, ", "))
		})
	}
	if v, ok := o.Get("types"); ok {
		w.Types = readNames(v, func(m source.Word) bool {
			return known.Exists(source.Member{Key: m.Text, Value: m.Value}) &&
				oneOf(m, m.Text != roleUID, "a type whose changes are sent", "leave it out; changes of roles are not sent")
		})
	}
	if v, ok := o.Get("locales"); ok {
		w.Locales = readNames(v, func(m source.Word) bool {
			return oneOf(m, s.HasLocale(m.Text), "a locale of the site", "name locales of i18n.locales")
		})
	}
	w.Headers = readHeaders(o, w, former)
	w.Enabled = o.Flag("enabled", w.Enabled)
	return w
}

func textOr(o source.Object, key, otherwise string) string {
	if v, ok := o.Get(key); ok {
		text, _ := v.Text()
		return text
	}
	return otherwise
}

// oneOf reports a word that is not a known one.
func oneOf(m source.Word, known bool, what, fix string) bool {
	if !known {
		m.Refuse(fmt.Sprintf("%.100q is not %s", m.Text, what), fix)
	}
	return known
}

// readNames reads a list of names. Each may occur once.
func readNames(v source.Value, valid func(source.Word) bool) []string {
	var names []string
	for _, m := range v.Words() {
		if valid(m) && !slices.Contains(names, m.Text) {
			names = append(names, m.Text)
		}
	}
	return names
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// ownHeaders are those that the sender sets, and those that say how a request is sent.
var ownHeaders = []string{
	"x-strapi-event", "webhook-id", "webhook-timestamp", "webhook-signature", "content-type", "content-length",
	"content-encoding", "host", "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect",
}

// readHeaders reads "headers": {"Authorization": "Bearer ..."}. Values are not shown, so
// that those that are left out, and a null, stay as they were; but not where the address
// changes: they would be sent to somebody who must not see them.
func readHeaders(config source.Object, w, former Webhook) map[string]string {
	const moved, again = "has values that are not sent to another address", "write all of their values again, or {} for none"
	_, given := config.Get("headers")
	if !given {
		if len(former.Headers) > 0 && w.URL != former.URL {
			config.RefuseAt("headers", moved, again)
		}
		return former.Headers
	}
	o, headers, seen := config.Object("headers"), map[string]string{}, map[string]bool{}
	if len(o.Members) > mostHeaders {
		o.Refuse(fmt.Sprintf("has %d headers, more than %d", len(o.Members), mostHeaders), "remove some")
		return nil
	}
	for _, m := range o.Members {
		name := strings.ToLower(m.Key)
		if seen[name] {
			m.Refuse(fmt.Sprintf("%.100q occurs twice", m.Key), "remove one; case is ignored")
		}
		seen[name] = true
		if was, had := former.Headers[m.Key]; m.Raw[0] == 'n' && had {
			if headers[m.Key] = was; w.URL != former.URL {
				m.Refuse(moved, again)
			}
			continue
		}
		text, ok := m.Text()
		switch {
		case !ok:
		case !headerName.MatchString(m.Key) || slices.Contains(ownHeaders, name):
			m.Refuse(fmt.Sprintf("%.100q is not a header that can be added", m.Key), "choose another name")
		case len(text) > longestHeader || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r > '~' }):
			m.Refuse("is not the value of a header", "write at most 4096 printable ASCII characters in one line")
		default:
			headers[m.Key] = text
		}
	}
	return headers
}

// checkReceiver says why nothing can be sent to an address; empty where it can, as far as
// the address itself shows. Names are resolved when something is sent.
func (e *Events) checkReceiver(text string) string {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return "is missing"
	case len(text) > longestURL:
		return "is longer than 2048 bytes"
	case err != nil || u.Hostname() == "" || u.Opaque != "" || u.Scheme != "https" && u.Scheme != "http":
		return "is not an address that begins with https:// or http://"
	case u.User != nil:
		return "has a user name or password, which do not belong in an address; use a header"
	case u.Fragment != "":
		return "has a fragment, which is not sent"
	}
	if why := checkPort(u.Port()); why != "" || strings.HasSuffix(u.Host, ":") {
		return orElse(why, "has an empty port")
	}
	return e.checkHost(strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")))
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// checkPort refuses the ports of other services: mail, name and sign-in servers.
func checkPort(text string) string {
	if text == "" {
		return ""
	}
	n, err := strconv.Atoi(text)
	if err != nil || n > greatestPort || n < firstOrdinaryPort && n != httpPort && n != httpsPort {
		return fmt.Sprintf("has the port %.20s; use 80, 443, or one from 1024 to 65535", text)
	}
	return ""
}

var asNumber = regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`)

// checkHost refuses numeric addresses that are not public, and ways of writing them that
// only some programs understand.
func (e *Events) checkHost(host string) string {
	if a, err := netip.ParseAddr(host); err == nil {
		if err := e.CheckAddress(a); err != nil {
			return "cannot be used: " + err.Error()
		}
		return ""
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case asNumber.MatchString(last):
		return fmt.Sprintf("has the host %.100q, which is a number but no IP address", host)
	case last == "localhost" && e.CheckAddress(loopback4) != nil && e.CheckAddress(netip.IPv6Loopback()) != nil:
		return "cannot be used: localhost is this machine, and events.allowPrivate in site.json does not name 127.0.0.1"
	}
	return ""
}

var loopback4 = netip.AddrFrom4([4]byte{127, 0, 0, 1})
