package release

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"quire/content"
	"quire/schema"
)

// Input describes a new or changed release. Missing members are unchanged.
type Input struct {
	Name  *string
	Steps []Step     // nil if they are missing
	At    *time.Time // the zero time for null: no time

	// UpdatedAt is that of the release which the caller has read, so that a change by
	// somebody else since then is not overwritten; nil to change it in any form.
	UpdatedAt *time.Time
}

// ReadTime reads a moment in the future: "2026-12-24T18:00:00Z". The error is a
// *RefusedError about "at".
func (c *Calendar) ReadTime(text json.RawMessage) (time.Time, error) {
	refuse := func(why string) (time.Time, error) { return time.Time{}, &RefusedError{"at", why} }
	var form string
	if json.Unmarshal(text, &form) != nil {
		return refuse("must be a text such as 2026-12-24T18:00:00Z")
	}
	at, err := time.Parse(time.RFC3339, form)
	at = at.UTC().Truncate(time.Millisecond)
	now := c.clock()
	switch {
	case err != nil:
		return refuse(fmt.Sprintf("must be a moment with its time zone, such as 2026-12-24T18:00:00Z, and not %.50q", form))
	case !at.After(now):
		return refuse("must be in the future, and is not: it is " + now.Format(time.RFC3339) + " here")
	case at.After(now.AddDate(latest, 0, 0)):
		return refuse(fmt.Sprintf("must be within %d years", latest))
	}
	return at, nil
}

// ReadInput reads a release in a body. access is what the caller may do: types that it may
// not find count as missing. The error is a *RefusedError.
func (c *Calendar) ReadInput(data json.RawMessage, access schema.Access) (in Input, err error) {
	members, err := object(data, "data", "name", "at", "steps", "updatedAt")
	if err != nil {
		return in, err
	}
	if text, given := members["name"]; given {
		in.Name = new(string)
		if json.Unmarshal(text, in.Name) != nil || *in.Name == "" || utf8.RuneCountInString(*in.Name) > MaxName {
			return in, &RefusedError{"name", fmt.Sprintf("must be a text of 1 to %d characters", MaxName)}
		}
	}
	if text, given := members["at"]; given {
		in.At = new(time.Time)
		if !isNull(text) {
			if *in.At, err = c.ReadTime(text); err != nil {
				return in, err
			}
		}
	}
	if text, given := members["updatedAt"]; given {
		in.UpdatedAt = new(time.Time)
		if isNull(text) || json.Unmarshal(text, in.UpdatedAt) != nil {
			return in, &RefusedError{"updatedAt", "must be the updatedAt of the release that is changed"}
		}
	}
	if text, given := members["steps"]; given {
		in.Steps, err = c.readSteps(text, access)
	}
	return in, err
}

// Replans reports whether a release begins again with the input: one that has failed waits
// again, but a new name does not change its state.
func (in *Input) Replans() bool { return in.At != nil || in.Steps != nil }

// Of returns the release was with the changes of the input. One with a time must have
// steps. Errors: a *ChangedError if was is not the release that the caller has read, and a
// *RefusedError.
func (in *Input) Of(was Release) (Release, error) {
	r := was
	if in.UpdatedAt != nil && !in.UpdatedAt.Equal(was.UpdatedAt) {
		if was.ID == "" {
			return r, &RefusedError{"updatedAt", "belongs to a release that exists, and this one is new"}
		}
		return r, &ChangedError{was.ID}
	}
	if in.Name != nil {
		r.Name = *in.Name
	}
	if in.Steps != nil {
		r.Steps = in.Steps
	}
	switch {
	case in.At != nil:
		r.At = *in.At
	case in.Steps != nil && was.State != Scheduled:
		r.At = time.Time{} // it was tried at that time
	}
	if in.Replans() {
		r.plan()
	}
	switch {
	case r.Name == "":
		return r, &RefusedError{"name", "is missing"}
	case len(r.Steps) == 0 && !r.At.IsZero():
		return r, &RefusedError{"at", "makes no sense for a release without steps"}
	}
	return r, nil
}

// object reads an object with no other than the known members.
func object(data json.RawMessage, at string, known ...string) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil || members == nil {
		return nil, &RefusedError{at, "must be an object"}
	}
	for key := range members {
		if !slices.Contains(known, key) {
			return nil, &RefusedError{fmt.Sprintf("%s.%.50s", at, key), "is unknown"}
		}
	}
	return members, nil
}

func isNull(text json.RawMessage) bool { return string(text) == "null" }

func (c *Calendar) readSteps(text json.RawMessage, access schema.Access) ([]Step, error) {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil || list == nil {
		return nil, &RefusedError{"steps", "must be a list"}
	}
	if len(list) > MaxSteps {
		return nil, &RefusedError{"steps", fmt.Sprintf("are %d, and may be %d", len(list), MaxSteps)}
	}
	steps := make([]Step, len(list))
	taken := map[[2]string]map[string]int{} // by type and document, the step of each locale
	for i, one := range list {
		at := fmt.Sprintf("steps[%d]", i)
		var err error
		if steps[i], err = c.readStep(one, at, access); err != nil {
			return nil, err
		}
		document := [2]string{steps[i].Type, steps[i].DocumentID}
		if taken[document] == nil {
			taken[document] = map[string]int{}
		}
		if other, twice := c.claim(taken[document], &steps[i], i); twice {
			return nil, &RefusedError{at, fmt.Sprintf("is about the same document and locale as steps[%d]", other)}
		}
	}
	return steps, nil
}

// claim takes the locales of a document for a step. It returns the step that already has
// one of them.
func (c *Calendar) claim(taken map[string]int, s *Step, step int) (other int, twice bool) {
	locales := s.Locales
	if locales == nil {
		locales = []string{content.AllLocales} // of a type that is not localized
	}
	for _, locale := range locales {
		for had, other := range taken {
			if had == locale || had == content.AllLocales || locale == content.AllLocales {
				return other, true
			}
		}
	}
	for _, locale := range locales {
		taken[locale] = step
	}
	return 0, false
}

func (c *Calendar) readStep(data json.RawMessage, at string, access schema.Access) (s Step, err error) {
	members, err := object(data, at, "type", "documentId", "action", "locales", "discardDraft")
	if err != nil {
		return s, err
	}
	refuse := func(key, why string) (Step, error) { return s, &RefusedError{at + "." + key, why} }
	for _, m := range []struct {
		key string
		to  any
	}{{"type", &s.Type}, {"documentId", &s.DocumentID}, {"action", &s.Action}} {
		if text, given := members[m.key]; given && json.Unmarshal(text, m.to) != nil {
			return refuse(m.key, "must be a text")
		}
	}
	t := c.site.Type(s.Type)
	switch {
	case t == nil || t.IsComponent() || !access.Allows(t, schema.Find):
		return refuse("type", "must be the uid of a content type, such as api::article.article")
	case !t.DraftAndPublish:
		return refuse("type", "must be a content type with drafts")
	case s.Action != schema.Publish && s.Action != schema.Unpublish:
		return refuse("action", "must be publish or unpublish")
	case t.Kind == schema.Single && s.DocumentID != "":
		return refuse("documentId", "must be left out, since there is one document of this type")
	case t.Kind != schema.Single && (s.DocumentID == "" || len(s.DocumentID) > maxDocumentID):
		return refuse("documentId", "must be the documentId of a document")
	}
	if text, given := members["discardDraft"]; given && (json.Unmarshal(text, &s.DiscardDraft) != nil || s.DiscardDraft && s.Action != schema.Unpublish) {
		return refuse("discardDraft", "must be true or false, and is for unpublish")
	}
	s.Locales, err = c.readLocales(t, members["locales"], at+".locales")
	return s, err
}

func (c *Calendar) readLocales(t *schema.Type, text json.RawMessage, at string) (codes []string, err error) {
	if text == nil || isNull(text) {
		if t.Localized {
			codes = []string{c.site.Settings.DefaultLocale} // which may change later
		}
		return codes, nil
	}
	if json.Unmarshal(text, &codes) != nil || len(codes) == 0 {
		return nil, &RefusedError{at, `must be a list of locales, or ["*"]`}
	}
	if !t.Localized {
		return nil, &RefusedError{at, "must be left out, since the type is not localized"}
	}
	for i, code := range codes {
		if code != content.AllLocales && !c.site.Settings.HasLocale(code) {
			return nil, &RefusedError{at, fmt.Sprintf("names %.50q, which is no locale of the site", code)}
		}
		if slices.Contains(codes[:i], code) {
			return nil, &RefusedError{at, fmt.Sprintf("names %.50q twice", code)}
		}
	}
	return codes, nil
}
