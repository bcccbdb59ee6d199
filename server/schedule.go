package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"quire/auth"
	"quire/release"
	"quire/schema"
)

// The schedule of a document: POST …/actions/publish with a time adds to it, GET …/schedule
// lists pending and failed entries, and DELETE …/schedule/:id cancels one. They show only
// what the caller could do at once.

// scheduleRoutes are the routes of the schedule of a type's documents. path leads to a
// document.
func scheduleRoutes(t *schema.Type, path string) []Route {
	if !t.DraftAndPublish {
		return nil
	}
	h := &contentType{t}
	route := func(method, path string, handler handler) Route {
		return Route{
			Method: method, Path: path, handler: handler,
			Permission: auth.Permission{UID: t.UID, Action: schema.Publish},
			Instead:    auth.Permission{UID: t.UID, Action: schema.Unpublish},
		}
	}
	return []Route{
		route(http.MethodGet, path+"/schedule", h.findSchedules),
		route(http.MethodDelete, path+"/schedule/:id", h.cancel),
	}
}

// shownSchedule is a schedule in a response.
type shownSchedule struct {
	ID           string        `json:"id"`
	DocumentID   string        `json:"documentId,omitempty"`
	Action       schema.Action `json:"action"`
	Locales      []string      `json:"locales,omitempty"`
	DiscardDraft bool          `json:"discardDraft,omitempty"`
	At           moment        `json:"at"`
	State        release.State `json:"state"`
	CreatedAt    moment        `json:"createdAt"`
	RetryAt      moment        `json:"retryAt,omitzero"`
	Failure      *shownFailure `json:"failure,omitempty"`
}

// moment is a time in the form of entries; the zero time is null.
type moment time.Time

// IsZero makes omitzero leave out a zero time.
func (m moment) IsZero() bool { return time.Time(m).IsZero() }

// MarshalJSON implements json.Marshaler.
func (m moment) MarshalJSON() ([]byte, error) {
	if t := time.Time(m); !t.IsZero() {
		return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
	}
	return []byte("null"), nil
}

// shownFailure says why a step cannot be done.
type shownFailure struct {
	Reason   string            `json:"reason"`
	Problems []release.Problem `json:"problems,omitempty"`
}

func (x *exchange) showSchedule(r *release.Release) shownSchedule {
	step := r.Steps[0]
	s := shownSchedule{
		ID: r.ID, DocumentID: step.DocumentID, Action: step.Action, Locales: step.Locales, DiscardDraft: step.DiscardDraft,
		At: moment(r.At), State: r.State, CreatedAt: moment(r.CreatedAt), RetryAt: moment(r.RetryAt),
	}
	for _, f := range r.Failures {
		s.Failure = x.showFailure(step, f)
	}
	return s
}

// showFailure shows why a step cannot be done, without the attributes that are hidden from
// the caller.
func (x *exchange) showFailure(s release.Step, f release.Failure) *shownFailure {
	shown := &shownFailure{f.Reason, f.Problems}
	t := x.edition.site.Type(s.Type)
	if t == nil {
		return shown
	}
	sight := x.caller.Sight(t)
	known := slices.DeleteFunc(slices.Clone(f.Problems), func(p release.Problem) bool { return !sight.KnowsPath(p.Path) })
	if len(known) < len(f.Problems) {
		shown = &shownFailure{"Something that you may not see is not valid; ask somebody who may", known}
	}
	return shown
}

// mayChange refuses callers who may not change the documents of all steps, because there is
// no caller when they run.
func (x *exchange) mayChange(steps ...release.Step) error {
	for _, s := range steps {
		t := x.edition.site.Type(s.Type)
		if t == nil || x.caller.Reach(t) == nil {
			continue
		}
		if err := x.edition.writer.MayChange(x.asCaller(), t, s.DocumentID, s.Locales); err != nil {
			return err
		}
	}
	return nil
}

// mayCarryOut refuses callers with limits who may not do a release as its documents are now:
// publishing one locale can change values that others share.
func (x *exchange) mayCarryOut(r *release.Release) error {
	limited := func(s release.Step) bool {
		t := x.edition.site.Type(s.Type)
		return t != nil && (x.caller.Reach(t) != nil || x.caller.Sight(t) != nil)
	}
	if !slices.ContainsFunc(r.Steps, limited) {
		return nil
	}
	return x.edition.calendar.Denied(x.asCaller(), r)
}

// schedule answers an action with a time.
func (c *contentType) schedule(x *exchange, a action, when json.RawMessage) error {
	g, err := c.change(x)
	if err != nil {
		return err
	}
	locales, discard, err := x.call.Later(c.t, a.permission, g)
	if err != nil {
		return err
	}
	at, err := x.edition.calendar.ReadTime(when)
	if err != nil {
		return err
	}
	if g.Match != nil {
		return invalid("If-Match is for what is done at once; it cannot go with a moment")
	}
	step := release.Step{Type: c.t.UID, DocumentID: c.documentOf(x), Action: a.permission, Locales: locales, DiscardDraft: discard}
	if !x.call.Exists(c.t, step.DocumentID) {
		return notFound()
	}
	if err := x.mayChange(step); err != nil {
		return err
	}
	planned := release.Release{By: x.identity.Actor(), At: at, Steps: []release.Step{step}}
	if err := x.mayCarryOut(&planned); err != nil {
		return err
	}
	r, err := x.edition.calendar.Schedule(x.request.Context(), planned)
	if err != nil {
		return err
	}
	return x.envelope(http.StatusAccepted, x.showSchedule(r), nil)
}

func (c *contentType) findSchedules(x *exchange) error {
	all, done, err := x.edition.calendar.OfDocument(c.t, c.documentOf(x))
	if err != nil {
		return err
	}
	x.awaitShown(done)
	shown := []shownSchedule{}
	for _, r := range all {
		if x.caller.Allows(c.t, r.Steps[0].Action) {
			shown = append(shown, x.showSchedule(r))
		}
	}
	return x.envelope(http.StatusOK, shown, nil)
}

func (c *contentType) cancel(x *exchange) error {
	r, err := x.edition.calendar.Scheduled(c.t, c.documentOf(x), x.params.ByName("id"))
	if err != nil {
		return err
	}
	if !x.caller.Allows(c.t, r.Steps[0].Action) {
		return notFound()
	}
	return x.removeSchedule(r)
}

// removeSchedule cancels a pending schedule, or removes a failed one.
func (x *exchange) removeSchedule(r *release.Release) error {
	if err := x.mayChange(r.Steps...); err != nil {
		return err
	}
	if err := x.edition.calendar.Remove(x.request.Context(), r); err != nil {
		return err
	}
	x.answerEmpty()
	return nil
}

// envelope sends JSON in the envelope of the API.
func (x *exchange) envelope(status int, data, meta any) error {
	if meta == nil {
		meta = none{}
	}
	text, err := json.Marshal(struct {
		Data any `json:"data"`
		Meta any `json:"meta"`
	}{data, meta})
	if err != nil {
		return err
	}
	x.json(status, text)
	return nil
}

// explainRelease returns the problem that an error of schedules and releases is for a
// client.
