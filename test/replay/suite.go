package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Suites are the names of the suites that must pass, in their order.
var Suites = []string{
	"01-documents",
	"02-validation",
	"03-filters",
	"04-sort-page-fields",
	"05-populate",
	"06-status",
	"07-locale",
	"08-relations",
	"09-components",
	"10-permissions",
	"11-users",
	"12-media",
	"13-legacy-format",
	"15-inverse",
	"16-random-writes",
	"17-graphql",
	"18-graphql-writes",
	"19-graphql-access",
	Imported,
}

// HasGraphQL reports whether a suite is for a site that has switched GraphQL on.
func HasGraphQL(name string) bool { return strings.Contains(name, "-graphql") }

// Imported is the suite that starts from the archive of testdata/export; all others start
// from an empty site.
const Imported = "14-imported"

// Step is one request of a suite with the expected response.
type Step struct {
	As      string
	Method  string
	Path    string
	Headers map[string]any
	Body    json.RawMessage
	Raw     *string
	Files   [][2]string // form field and file of testdata/media
	Form    map[string]any
	Save    any
	Expect  struct {
		Status int
		Body   any
	}
}

// Caller returns the caller: the name of a token, or public.
func (s Step) Caller() string {
	if s.As == "" {
		return "full"
	}
	return s.As
}

// Suite is the content of a file of requests.
type Suite struct {
	Content []Step // sent before the others to fill the site, and not compared
	Steps   []Step
}

// Read returns the steps of a suite. testdata is the folder of that name.
func Read(testdata, suite string) ([]Step, error) {
	s, err := ReadFile(filepath.Join(testdata, "suites", suite+".json"))
	if err != nil {
		return nil, err
	}
	return s.Steps, nil
}

// ReadFile returns the suite in a file. The error names a file without steps.
func ReadFile(name string) (*Suite, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s := &Suite{}
	if err := Decode(data, s); err != nil {
		return nil, fmt.Errorf("suite %s: %w", name, err)
	}
	if len(s.Steps) == 0 {
		return nil, fmt.Errorf("suite %s has no steps", name)
	}
	return s, nil
}

// Decode reads JSON and keeps numbers as they are written.
func Decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// At follows a path like "data.0.id"; it returns nil if it does not exist.
func At(value any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			value = parent[i]
		default:
			return nil
		}
	}
	return value
}

func encodeJSON(value any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSpace(b.String()), err
}
