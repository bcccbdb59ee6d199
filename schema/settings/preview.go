package settings

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"quire/schema/source"
)

// PreviewAddress is where the front end shows the documents of a type: a web address with
// placeholders in braces for what differs between documents, for example
// "https://example.org/{locale}/{slug}".
type PreviewAddress struct {
	texts []string // before, between and after the placeholders, one more than these
	names []string // of the placeholders
}

// The placeholders that are not attributes. All others are names of attributes.
const (
	PlaceDocumentID = "documentId"
	PlaceLocale     = "locale"
	PlaceStatus     = "status"
)

// IsPlace reports whether a placeholder is one of these.
func IsPlace(name string) bool {
	return name == PlaceDocumentID || name == PlaceLocale || name == PlaceStatus
}

// TokenParameter is the parameter of a URL that holds the token of a preview link.
const TokenParameter = "previewToken"

// Limits of an address in site.json, and of each inserted value.
const (
	longestAddress = 2000
	longestValue   = 500 // bytes
)

// ReadPreviews reads "preview": {"api::a.a": "https://example.org/{slug}"}. check reports
// placeholders that the type does not have.
func (s *Settings) ReadPreviews(config source.Object, check func(m source.Member, names []string) bool) {
	for _, m := range config.Object("preview").Members {
		text, ok := m.Text()
		if !ok {
			continue
		}
		a, fault := parseAddress(text)
		if fault != "" {
			m.Refuse(fmt.Sprintf("%.100q %s", text, fault), `write a whole web address, such as "https://example.org/{locale}/{slug}"`)
			continue
		}
		if !check(m, a.names) {
			continue
		}
		if s.Previews == nil {
			s.Previews = map[string]PreviewAddress{}
		}
		s.Previews[m.Key] = a
	}
}

// parseAddress reads an address, or returns what is wrong with it.
func parseAddress(text string) (a PreviewAddress, fault string) {
	if len(text) > longestAddress {
		return a, fmt.Sprintf("is longer than %d bytes", longestAddress)
	}
	for rest := text; ; {
		before, behind, found := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return a, "has a } without a {"
		}
		a.texts = append(a.texts, before)
		if !found {
			break
		}
		name, behind, closed := strings.Cut(behind, "}")
		if !closed || name == "" || strings.ContainsAny(name, "{/?#& ") {
			return a, "has a { that begins no placeholder"
		}
		a.names, rest = append(a.names, name), behind
	}
	return a, a.fault()
}

// fault returns why an address cannot be a web address with any values; "" if it can.
func (a PreviewAddress) fault() string {
	sample := strings.Join(a.texts, "x")
	u, err := url.Parse(sample)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return "is not a web address"
	}
	_, behind, _ := strings.Cut(a.texts[0], "://")
	switch {
	case len(a.names) > 0 && !strings.ContainsAny(behind, "/?#"):
		return "has a placeholder in its host"
	case u.String() != sample:
		return "has characters that are not escaped"
	case u.Query().Has(TokenParameter):
		return "has the parameter " + TokenParameter + ", which is added to it"
	case hasDots(u.EscapedPath()):
		return "has a step . or .. in its path"
	}
	return ""
}

// hasDots reports whether a path has a segment that stands for the same or the parent
// folder.
func hasDots(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(step string) bool {
		plain, err := url.PathUnescape(step)
		return err == nil && (plain == "." || plain == "..")
	})
}

// Placeholders returns the names of the placeholders in the address.
func (a PreviewAddress) Placeholders() []string { return a.names }

// String returns the address as in site.json.
func (a PreviewAddress) String() string {
	var b strings.Builder
	for i, name := range a.names {
		b.WriteString(a.texts[i] + "{" + name + "}")
	}
	return b.String() + a.texts[len(a.names)]
}

// PreviewOrigins returns the origins of the front ends that show previews, such as
// "https://example.org", in their order. Pages of the admin may show these beside a form.
func (s *Settings) PreviewOrigins() []string {
	var origins []string
	for _, a := range s.Previews {
		if u, err := url.Parse(strings.Join(a.texts, "x")); err == nil && isHost.MatchString(u.Host) {
			origins = append(origins, u.Scheme+"://"+strings.ToLower(u.Host))
		}
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}

// isHost is the form of a host and a port that a policy of a page can have.
var isHost = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?$`)

// PreviewError reports a value that cannot be used in an address.
type PreviewError struct{ Name, Problem string }

func (e *PreviewError) Error() string {
	return fmt.Sprintf("The address of the preview cannot be made: %q %s", e.Name, e.Problem)
}

// Fill returns the address with values for the placeholders, and with the token as a
// parameter of its query. Values are escaped, so that they stay within their places. If a
// value is missing or invalid, the error is a *PreviewError.
func (a PreviewAddress) Fill(values map[string]string, token string) (string, error) {
	var b strings.Builder
	for i, name := range a.names {
		value := values[name]
		switch {
		case value == "":
			return "", &PreviewError{name, "has no value"}
		case len(value) > longestValue:
			return "", &PreviewError{name, fmt.Sprintf("is longer than %d bytes", longestValue)}
		}
		b.WriteString(a.texts[i] + escapeValue(value))
	}
	b.WriteString(a.texts[len(a.names)])
	filled, fragment, hasFragment := strings.Cut(b.String(), "#")
	if len(a.names) > 0 && a.leadsElsewhere(b.String()) {
		at := slices.IndexFunc(a.names, func(name string) bool { return strings.Trim(values[name], "./\\") == "" })
		return "", &PreviewError{a.names[max(at, 0)], "makes a path that leads elsewhere"}
	}
	sign := "?"
	if strings.Contains(filled, "?") {
		sign = "&"
	}
	filled += sign + TokenParameter + "=" + token
	if hasFragment {
		filled += "#" + fragment
	}
	return filled, nil
}

// leadsElsewhere reports whether the filled address is invalid, or has a path that goes up
// or to another host.
func (a PreviewAddress) leadsElsewhere(filled string) bool {
	u, err := url.Parse(filled)
	if err != nil || hasDots(u.EscapedPath()) {
		return true
	}
	sample, err := url.Parse(strings.Join(a.texts, "x"))
	return err == nil && wanders(u) && !wanders(sample)
}

// sameToBrowsers replaces characters in a path as browsers do.
var sameToBrowsers = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/", "%2e", ".", "%2E", ".")

// wanders reports whether the address has a parameter or a fragment that is a path and
// leads elsewhere. Front ends redirect readers of a preview to such paths.
func wanders(u *url.URL) bool {
	return slices.ContainsFunc(append(strings.Split(u.RawQuery, "&"), "="+u.EscapedFragment()), func(part string) bool {
		_, text, _ := strings.Cut(part, "=")
		value, err := url.QueryUnescape(text)
		path := sameToBrowsers.Replace(value)
		return err == nil && strings.HasPrefix(path, "/") && (strings.HasPrefix(path, "//") || hasDots(path))
	})
}

// escapeValue escapes everything that could end a segment of a path or a parameter of a
// query.
func escapeValue(value string) string {
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == '~':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
