package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"quire/auth/people"
	"quire/content"
	"quire/content/changeset"
	"quire/documents"
	"quire/schema"
)

var writeTool = newTool("write", "Create and change drafts, all in one transaction: if one is refused, none is stored. Publishes nothing.", adds, write)

type writeArguments struct {
	Items []writeItem `json:"items" need:"" about:"up to 200"`
}

type writeItem struct {
	Type       string          `json:"type" need:""`
	DocumentID string          `json:"documentId" about:"of the document to change; none creates one"`
	Locale     string          `json:"locale"`
	Version    *uint64         `json:"version" about:"that find or get showed; required for a change"`
	Data       json.RawMessage `json:"data" need:"" as:"object" about:"attributes to set; others stay. describe says how. {{0.documentId}} is the document of the first item"`
}

// mostItems is the maximum number of items in one change.
const mostItems = 200

func write(r *Request, a *writeArguments) (*toolResult, error) {
	if len(a.Items) == 0 || len(a.Items) > mostItems {
		return nil, refuse("write takes 1 to %d items", mostItems)
	}
	c := &change{Request: r, seen: map[target]bool{}}
	for i := range a.Items {
		if err := c.addWrite(&a.Items[i]); err != nil {
			return nil, &itemError{i, err}
		}
	}
	return c.do("Written as drafts")
}

// change is a list of steps that stand or fall together.
type change struct {
	*Request
	steps []changeset.Step
	asks  string          // why a person has to agree; empty if none has to
	seen  map[target]bool // what the steps are about

	mustBeDone bool // whether it cannot wait for a person
}

// target is a document.
type target struct{ uid, documentID string }

// addWrite adds a create or an update of a draft.
func (c *change) addWrite(item *writeItem) error {
	t, err := c.typeOf(item.Type)
	if err != nil {
		return err
	}
	step := changeset.Step{Action: "update", Type: t.UID, Locale: item.Locale}
	data, err := c.fill(item.Data)
	if err != nil {
		return err
	}
	step.Data = json.RawMessage(fromMarkdown(t, c.server.site, data))
	id, err := c.fill([]byte(item.DocumentID))
	if err != nil {
		return err
	}
	step.DocumentID = string(id)
	if t.DraftAndPublish {
		step.Status = "draft"
	}
	if item.DocumentID == "" && t.Kind != schema.Single {
		step.Action, step.DocumentID = "create", content.NewDocumentID()
	}
	if err := c.condition(t, &step, item.Version, step.Action == "update"); err != nil {
		return err
	}
	if !t.DraftAndPublish {
		if err := c.approve(c.Limits.Publish, "a write of "+t.UID+", which has no drafts,"); err != nil {
			return err
		}
	}
	c.steps = append(c.steps, step)
	return nil
}

// condition sets the version that the agent has read, so that a step does not undo what somebody
// else has done since. needed says whether there has to be one, unless an earlier item is about
// the same document.
func (c *change) condition(t *schema.Type, step *changeset.Step, version *uint64, needed bool) error {
	at := target{t.UID, c.Document(t, step.DocumentID)}
	again := c.seen[at]
	c.seen[at] = true
	none := t.Kind == schema.Single && !c.Exists(t, "")
	switch {
	case version != nil && *version > 0:
		step.Version = *version
	case needed && t.Kind == schema.Single && (none || version != nil):
		step.Absent = true
	case needed && !again || version != nil:
		return refuse("a change needs the version of the document that find or get showed")
	}
	return nil
}

// approve makes the change wait for a person if one has to agree to something. It refuses what
// the agent may not do at all.
func (c *change) approve(a people.Allowed, what string) error {
	switch {
	case a == people.Yes:
		return nil
	case a == people.Ask && c.Proposer != nil && !c.mustBeDone:
		c.asks = what
		return nil
	}
	return &documents.Problem{Kind: documents.Forbidden, Name: "ForbiddenError",
		Message: fmt.Sprintf("%s needs a person, who does it in the admin: %s/admin", strings.ToUpper(what[:1])+what[1:], c.server.site.Settings.URL)}
}

// reference names the document of an earlier item.
var reference = regexp.MustCompile(`\{\{(\d{1,4})\.documentId\}\}`)

// fill replaces references with documentIds.
func (c *change) fill(data []byte) (filled []byte, err error) {
	filled = reference.ReplaceAllFunc(data, func(found []byte) []byte {
		n, _ := strconv.Atoi(string(reference.FindSubmatch(found)[1]))
		if n >= len(c.steps) || c.steps[n].DocumentID == "" {
			err = refuse("%s names no document of an earlier item", found)
			return found
		}
		return []byte(c.steps[n].DocumentID)
	})
	return filled, err
}

// do does all, or proposes it to a person.
func (c *change) do(done string) (*toolResult, error) {
	if most := c.Limits.Most; most > 0 && len(c.documents()) > most && c.asks == "" {
		if err := c.approve(people.Ask, fmt.Sprintf("a change of more than %d documents", most)); err != nil {
			return nil, err
		}
	}
	if err := c.join(); err != nil {
		return nil, err
	}
	if c.asks != "" {
		return c.propose()
	}
	writes, err := c.Prepare(c.ctx, c.steps, nil)
	if err == nil {
		err = c.Do(c.ctx, writes...)
	}
	if err != nil {
		return nil, c.named(err)
	}
	c.used += len(writes)
	return c.written(done, writes), nil
}

// propose stores the change for a person.
func (c *change) propose() (*toolResult, error) {
	as := *c.Call
	as.Caller = c.Proposer
	set, err := as.Propose(c.ctx, fmt.Sprintf("%s (%d)", strings.TrimPrefix(c.asks, "to "), len(c.steps)), c.steps)
	if err != nil {
		return nil, c.named(err)
	}
	link := c.server.site.Settings.URL + "/admin/changes/" + set.ID
	return say("Waiting for approval: %s needs a person, who decides on all %d items at %s . Nothing has changed yet.", c.asks, len(c.steps), link), nil
}

// documents are those that the change is about. Each copy is another one.
func (c *change) documents() map[target]bool {
	all := map[target]bool{}
	for i, s := range c.steps {
		if s.Action == "duplicate" {
			s.DocumentID = fmt.Sprintf("copy %d", i)
		}
		all[target{s.Type, s.DocumentID}] = true
	}
	return all
}

// named returns the error of the item that was refused. Of a document that has changed, it
// says where.
func (c *change) named(err error) error {
	item := &itemError{0, err}
	if part := new(content.PartError); errors.As(err, &part) {
		item = &itemError{part.Part, part.Err}
	} else if len(c.steps) > 1 {
		return err
	}
	if changed := new(content.ConflictError); errors.As(err, &changed) {
		p := &documents.Problem{Kind: documents.Changed, Name: "PreconditionFailedError", Message: "the document is not at this version any more; it is at " + strconv.FormatUint(changed.Version, 10)}
		if changed.Version == 0 {
			p.Message = "there is no such document"
		}
		if paths := c.Changed(c.ctx, changed); len(paths) > 0 {
			p.Message += ", with changes in " + strings.Join(paths, ", ")
		}
		p.Message += ". Read it with get and decide again"
		item.err = p
	}
	return item
}

// written answers a change that is stored.
func (c *change) written(done string, writes []*documents.Write) *toolResult {
	columns, rows := []string{"type", "documentId", "locale", "version"}, []row{}
	c.Budget.End()
	for i, w := range writes {
		if w.Removes {
			continue
		}
		one := row{"type": quoted(w.Type.UID), "documentId": quoted(w.Document()), "version": number(w.Version())}
		if locale := c.steps[i].Locale; w.Type.Localized && locale != "" {
			one["locale"] = quoted(locale)
		}
		rows = append(rows, one)
	}
	s := say("%s, in one transaction: %d items. A person sees them at %s/admin/content/TYPE/DOCUMENTID?locale=LOCALE\n", done, len(writes), c.server.site.Settings.URL)
	if len(rows) > 0 {
		s.table(columns, rows)
	}
	return s
}
