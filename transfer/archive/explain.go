package archive

import (
	"errors"
	"fmt"
	"strings"

	"quire/content/body"
)

// shownErrors is the maximum number of errors of one import that are shown.
const shownErrors = 20

// listValues returns the text of an error, with every value that it is about.
func listValues(err error) string {
	var refused *body.ValidationError
	if !errors.As(err, &refused) || len(refused.Issues) == 0 {
		return err.Error()
	}
	parts := make([]string, len(refused.Issues))
	for i, issue := range refused.Issues {
		parts[i] = issue.Message
		if at := strings.Join(issue.Path, "."); !strings.Contains(issue.Message, at) {
			parts[i] = at + ": " + issue.Message
		}
	}
	return strings.Join(parts, "; ")
}

// Problems are the errors of an import. Nothing was stored.
type Problems struct {
	List []error
	Cut  bool // there may be more: the import stopped at the maximum
}

func (p *Problems) Error() string {
	var out strings.Builder
	for _, err := range p.List {
		fmt.Fprintf(&out, "%v\n", err)
	}
	if p.Cut {
		out.WriteString("and maybe more\n")
	}
	out.WriteString("nothing was imported")
	return out.String()
}

func (p *Problems) Unwrap() []error { return p.List }

// add returns the problems themselves if there are enough to stop.
func (p *Problems) add(err error) error {
	p.List = append(p.List, err)
	if len(p.List) < shownErrors {
		return nil
	}
	p.Cut = true
	return p
}

func (p *Problems) err() error {
	if len(p.List) == 0 {
		return nil
	}
	return p
}
