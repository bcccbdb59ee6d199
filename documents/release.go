package documents

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"quire/auth"
	"quire/content/release"
	"quire/schema"
)

// What a caller may see and do of schedules and releases. There is no caller when they run,
// so whoever plans one must be allowed to do all of it at once.

// Schedule is a schedule as a caller sees it.
type Schedule struct {
	ID           string        `json:"id"`
	DocumentID   string        `json:"documentId,omitempty"`
	Action       schema.Action `json:"action"`
	Locales      []string      `json:"locales,omitempty"`
	DiscardDraft bool          `json:"discardDraft,omitempty"`
	At           Moment        `json:"at"`
	State        release.State `json:"state"`
	CreatedAt    Moment        `json:"createdAt"`
	RetryAt      Moment        `json:"retryAt,omitzero"`
	Failure      *Failure      `json:"failure,omitempty"`
}

// Moment is a time in the form of entries; the zero time is null.
type Moment time.Time

// IsZero makes omitzero leave out a zero time.
func (m Moment) IsZero() bool { return time.Time(m).IsZero() }

// MarshalJSON implements json.Marshaler.
func (m Moment) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + m.String() + `"`), nil
}

// String returns the time in the form of entries; empty for the zero time.
func (m Moment) String() string {
	if m.IsZero() {
		return ""
	}
	return time.Time(m).UTC().Format("2006-01-02T15:04:05.000Z")
}

// Failure says why a step cannot be done.
type Failure struct {
	Reason   string            `json:"reason"`
	Problems []release.Problem `json:"problems,omitempty"`
}

// ShowSchedule shows a schedule to the caller.
func (c *Call) ShowSchedule(r *release.Release) Schedule {
	step := r.Steps[0]
	s := Schedule{
		ID: r.ID, DocumentID: step.DocumentID, Action: step.Action, Locales: step.Locales, DiscardDraft: step.DiscardDraft,
		At: Moment(r.At), State: r.State, CreatedAt: Moment(r.CreatedAt), RetryAt: Moment(r.RetryAt),
	}
	for _, f := range r.Failures {
		s.Failure = c.showFailure(step, f)
	}
	return s
}

// showFailure shows why a step cannot be done, without the attributes that are hidden from
// the caller.
func (c *Call) showFailure(s release.Step, f release.Failure) *Failure {
	shown := &Failure{f.Reason, f.Problems}
	t := c.Site.Type(s.Type)
	if t == nil {
		return shown
	}
	sight := c.Caller.Sight(t)
	known := slices.DeleteFunc(slices.Clone(f.Problems), func(p release.Problem) bool { return !sight.KnowsPath(p.Path) })
	if len(known) < len(f.Problems) {
		shown = &Failure{"Something that you may not see is not valid; ask somebody who may", known}
	}
	return shown
}

// Plan schedules one step, which the caller could do at once. when is a JSON string.
func (c *Call) Plan(ctx context.Context, step release.Step, when json.RawMessage) (Schedule, error) {
	at, err := c.Calendar.ReadTime(when)
	if err != nil {
		return Schedule{}, err
	}
	if t := c.Site.Type(step.Type); t == nil || !c.Exists(t, step.DocumentID) {
		return Schedule{}, notFound()
	}
	if err := c.MayChange(ctx, step); err != nil {
		return Schedule{}, err
	}
	planned := release.Release{By: c.Actor, At: at, Steps: []release.Step{step}}
	if err := c.MayCarryOut(ctx, &planned); err != nil {
		return Schedule{}, err
	}
	r, err := c.Calendar.Schedule(ctx, planned)
	if err != nil {
		return Schedule{}, err
	}
	return c.ShowSchedule(r), nil
}

// Unplan cancels a pending schedule of a document, or removes a failed one. The caller could
// do the same action at once.
func (c *Call) Unplan(ctx context.Context, t *schema.Type, documentID, id string) error {
	r, err := c.Calendar.Scheduled(t, documentID, id)
	if err != nil {
		return err
	}
	if !c.Caller.Allows(t, r.Steps[0].Action) || !c.MayStep(r.Steps[0], r.Steps[0].Action) {
		return notFound()
	}
	return c.RemoveSchedule(ctx, r)
}

// RemoveSchedule removes a schedule for a caller who may change its document.
func (c *Call) RemoveSchedule(ctx context.Context, r *release.Release) error {
	if err := c.MayChange(ctx, r.Steps...); err != nil {
		return err
	}
	return c.Calendar.Remove(ctx, r)
}

// MayChange refuses callers who may not change the documents of all steps, because there is
// no caller when they run.
func (c *Call) MayChange(ctx context.Context, steps ...release.Step) error {
	for _, s := range steps {
		t := c.Site.Type(s.Type)
		if t == nil || c.Caller.Reach(t) == nil {
			continue
		}
		actions := []schema.Action{s.Action}
		if s.DiscardDraft {
			actions = append(actions, schema.Update)
		}
		for _, action := range actions {
			if err := c.Writer.MayChange(c.Context(ctx), t, s.DocumentID, s.Locales, action); err != nil {
				return err
			}
		}
	}
	return nil
}

// MayCarryOut refuses callers with limits who may not do a release as its documents are now:
// publishing one locale can change values that others share.
func (c *Call) MayCarryOut(ctx context.Context, r *release.Release) error {
	limited := func(s release.Step) bool {
		t := c.Site.Type(s.Type)
		return t != nil && (c.Caller.Reach(t) != nil || c.Caller.Sight(t) != nil)
	}
	if !slices.ContainsFunc(r.Steps, limited) {
		return nil
	}
	return c.Calendar.Denied(c.Context(ctx), r)
}

// Release is a release as a caller sees it.
type Release struct {
	ID          string        `json:"id"`
	Name        string        `json:"name"`
	State       release.State `json:"state"`
	At          Moment        `json:"at"`
	DoneAt      Moment        `json:"doneAt"`
	CreatedAt   Moment        `json:"createdAt"`
	UpdatedAt   Moment        `json:"updatedAt"`
	RetryAt     Moment        `json:"retryAt,omitzero"`
	StepCount   int           `json:"stepCount"`
	Steps       []ReleaseStep `json:"steps,omitzero"`        // on types that the caller may find
	HiddenSteps int           `json:"hiddenSteps,omitempty"` // number of other steps
}

// ReleaseStep is a step of a release as a caller sees it.
type ReleaseStep struct {
	release.Step
	Failure *Failure `json:"failure,omitempty"`
}

// ShowHead shows a release without its steps.
func ShowHead(r *release.Release) Release {
	return Release{
		ID: r.ID, Name: r.Name, State: r.State, At: Moment(r.At), DoneAt: Moment(r.DoneAt),
		CreatedAt: Moment(r.CreatedAt), UpdatedAt: Moment(r.UpdatedAt), RetryAt: Moment(r.RetryAt), StepCount: r.StepCount,
	}
}

// ShowRelease shows a release to the caller.
func (c *Call) ShowRelease(r *release.Release) Release {
	s := ShowHead(r)
	s.Steps = []ReleaseStep{}
	failures := map[int]release.Failure{}
	for _, f := range r.Failures {
		failures[f.Step] = f
	}
	for i, step := range r.Steps {
		if !c.SeesStep(step) {
			s.HiddenSteps++
			continue
		}
		shown := ReleaseStep{Step: step}
		if f, failed := failures[i]; failed {
			shown.Failure = c.showFailure(step, f)
			if !c.MayStep(step, step.Action) {
				shown.Failure = &Failure{Reason: "It cannot be done"} // the reason depends on the draft
			}
		}
		s.Steps = append(s.Steps, shown)
	}
	return s
}

// SeesStep reports whether the caller may know about a step.
func (c *Call) SeesStep(s release.Step) bool { return c.MayStep(s, schema.Find) }

// MayStep reports whether the caller may do an action on documents of a step's type, and whether
// the document exists for the caller, in a locale of the step, if not all do. If the site no longer
// has the type, nobody may.
func (c *Call) MayStep(s release.Step, a schema.Action) bool {
	t := c.Site.Type(s.Type)
	switch {
	case t == nil:
		return true
	case !c.Caller.HasPermission(auth.Permission{UID: s.Type, Action: a}):
		return false
	case c.Caller.Filter(t) == nil:
		return true
	case !t.Localized || len(s.Locales) == 0:
		return c.Exists(t, s.DocumentID)
	}
	return slices.ContainsFunc(s.Locales, func(locale string) bool { return c.ExistsFor(c.Caller, t, s.DocumentID, locale) })
}

// MayPlan refuses callers who would schedule a release that they may not publish. Nobody
// may schedule steps on types that the site no longer has: these may be back by then, and
// it is unknown who may publish them.
func (c *Call) MayPlan(ctx context.Context, r *release.Release) error {
	if r.At.IsZero() {
		return nil
	}
	for i, s := range r.Steps {
		if c.Site.Type(s.Type) == nil {
			return &release.RefusedError{Key: "at", Message: fmt.Sprintf("cannot be given: steps[%d] is on %s, which the site no longer has", i, s.Type)}
		}
	}
	if err := c.MayDo(ctx, r); err != nil {
		return err
	}
	return c.MayCarryOut(ctx, r)
}

// MayDo refuses callers who may not do all steps of a release.
func (c *Call) MayDo(ctx context.Context, r *release.Release) error {
	refuse := func(what string) error {
		return &Problem{Kind: Forbidden, Name: "ForbiddenError", Message: "To publish this release now or at a time needs " + what}
	}
	if !c.Caller.HasPermission(auth.PublishRelease) {
		return refuse(auth.PublishRelease.String())
	}
	for _, s := range r.Steps {
		switch {
		case !c.SeesStep(s):
			return refuse("permissions on all types that are in it")
		case !c.MayStep(s, s.Action):
			return refuse(auth.Permission{UID: s.Type, Action: s.Action}.String())
		case s.DiscardDraft && !c.MayStep(s, schema.DiscardDraft):
			return refuse(auth.Permission{UID: s.Type, Action: schema.DiscardDraft}.String())
		}
	}
	return c.MayChange(ctx, r.Steps...)
}

// ListedSchedule is a schedule in the list of all.
type ListedSchedule struct {
	Type string `json:"type"`
	Schedule
	DoneAt Moment `json:"doneAt"`
}

// Knows reports whether the caller may know about a schedule: it may do the same action, or
// read the drafts of the type, because most scheduled documents are drafts.
func (c *Call) Knows(r *release.Release) bool {
	step := r.Steps[0]
	return c.MayStep(step, step.Action) || c.SeesStep(step) && c.MayStep(step, schema.ReadDraft)
}

// listSchedule shows a schedule to the caller.
func (c *Call) listSchedule(r *release.Release) ListedSchedule {
	step := r.Steps[0]
	s := ListedSchedule{step.Type, c.ShowSchedule(r), Moment(r.DoneAt)}
	if s.Failure != nil && !c.MayStep(step, step.Action) {
		s.Failure = &Failure{Reason: "It could not be done"} // the reason depends on the draft
	}
	return s
}

// SchedulesOf lists the pending and failed schedules of a document, of actions that the
// caller could do at once.
func (c *Call) SchedulesOf(ctx context.Context, t *schema.Type, documentID string) ([]Schedule, error) {
	all, done, err := c.Calendar.OfDocument(t, documentID)
	if err != nil {
		return nil, err
	}
	c.Await(ctx, done)
	shown := []Schedule{}
	for _, r := range all {
		if c.Caller.Allows(t, r.Steps[0].Action) && c.MayStep(r.Steps[0], r.Steps[0].Action) {
			shown = append(shown, c.ShowSchedule(r))
		}
	}
	return shown, nil
}

// Upcoming lists the next pending schedules of the site that the caller may know about.
func (c *Call) Upcoming(ctx context.Context, most int) ([]ListedSchedule, error) {
	list, _, err := c.Scheduled(ctx, 0, most, func(r *release.Release) bool { return r.State == release.Scheduled })
	return list, err
}

// Scheduled lists the schedules of the site for which shows is true, as far as the caller
// may know about them: as many as size after the first skip. It also returns their number.
func (c *Call) Scheduled(ctx context.Context, skip, size int, shows func(*release.Release) bool) ([]ListedSchedule, int, error) {
	if err := c.Budget.Enter(ctx); err != nil {
		return nil, 0, err
	}
	page := release.Page{Shows: func(r *release.Release) bool { return shows(r) && c.Knows(r) }, Skip: skip, Size: size}
	all, total, done, err := c.Calendar.Schedules(page)
	c.Budget.End()
	if err != nil {
		return nil, 0, err
	}
	c.Await(ctx, done)
	shown := []ListedSchedule{}
	for _, r := range all {
		shown = append(shown, c.listSchedule(r))
	}
	return shown, total, nil
}

// mostWaits limits, in milliseconds, how long a response waits for the snapshot that shows
// the result of a release.
const mostWaits = 100

// AwaitDone waits until reads show the result of a release that is done.
func (c *Call) AwaitDone(ctx context.Context, r *release.Release) {
	if r.State == release.Done {
		c.Await(ctx, r.Revision)
	}
}

// Await waits until reads show that revision, because a commit is in the file a moment
// before the snapshot is current. So a client that reads that a release is done sees its
// result.
func (c *Call) Await(ctx context.Context, revision uint64) {
	for range mostWaits {
		if c.Index.Snapshot().Revision() >= revision {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Millisecond):
		}
	}
}
