package describe

import (
	"fmt"

	"quire/schema"
)

// The endpoints of a document's life: actions, its schedule, and releases.

// lifecycle describes a route that publishes, unpublishes and so on; false for others.
func (d *document) lifecycle(r Route) (operation, bool) {
	t := r.Type
	summary, ok := map[schema.Action]string{
		schema.Publish:      "Publish the draft of %s",
		schema.Unpublish:    "Take back the published version of %s",
		schema.DiscardDraft: "Make the draft of %s what is published",
		schema.Duplicate:    "Make a copy of %s",
	}[r.Action]
	one := "one of the " + t.Plural
	if t.Kind == schema.Single {
		one = "the " + t.Singular
	}
	switch {
	case !ok:
		return operation{}, false
	case r.Method == "GET":
		return operation{
			summary: "List what is scheduled for " + one,
			about:   "What is to come and what has failed, of the actions that the caller may do. The permission to unpublish does as well.",
			answers: []answer{answerFound(plainEnvelope(arrayOf(d.schedule())))},
		}, true
	case r.Method == "DELETE":
		return operation{
			summary: "Cancel what is scheduled for " + one, about: "The permission to unpublish does for what unpublishes.",
			fails:   []string{"409"},
			answers: []answer{answerEmpty()},
		}, true
	}
	return d.act(r, fmt.Sprintf(summary, one)), true
}

// act is an action on a document.
func (d *document) act(r Route, summary string) operation {
	o := operation{summary: summary, parameters: d.show(r.Type), body: emptyBody, answers: []answer{answerWritten(d.envelope(r.Type, false))}}
	if r.Type.Localized && r.Action != schema.Duplicate {
		about := "The locale or, with commas between them, several; by default " + d.site.Settings.DefaultLocale + ". `*` means all."
		o.parameters = append(o.parameters, d.parameter("actionLocale", func() object { return inQuery("locale", about, typed("string")) }))
	}
	switch r.Action {
	case schema.Duplicate:
		o.answers = []answer{answerCreated(d.envelope(r.Type, false))}
	case schema.Unpublish:
		o.parameters = append(o.parameters, d.parameter("discardDraft", func() object {
			return inQuery("discardDraft", "Whether the draft becomes what was published.", typed("boolean"))
		}))
	}
	if r.Action == schema.Publish || r.Action == schema.Unpublish {
		o.about = "With a moment it is scheduled, and done then."
		o.body = object{{"required", flag(false)}, {"content", jsonContent(openObject(object{{"at", moment}}))}}
		o.answers = append(o.answers, answer{202, "It is scheduled.", jsonContent(plainEnvelope(d.schedule()))})
	}
	o.parameters = append(o.parameters, d.formatHeader()...)
	return o
}

// emptyBody is that of requests that say all in their paths.
var emptyBody = object{{"required", flag(false)}, {"content", jsonContent(openObject(nil))}}

// plainEnvelope is the envelope of what is no entry.
func plainEnvelope(data value) object {
	return closedObject(object{{"data", data}, {"meta", openObject(nil)}})
}

var locales = arrayOf(typed("string"))

func (d *document) schedule() object {
	return d.define("QuireSchedule", func() value {
		return openObject(d.scheduleMembers("scheduled", "failed"), "id", "action", "at", "state", "createdAt")
	})
}

func (d *document) scheduleMembers(states ...string) object {
	return object{
		{"id", typed("string")}, {"documentId", typed("string")}, {"action", stepAction}, {"locales", locales}, {"discardDraft", typed("boolean")},
		{"at", moment}, {"state", words(states...)}, {"createdAt", moment}, retryAt, {"failure", d.stepFailure()},
	}
}

// retryAt is in what a hook could not be asked about at its time.
var retryAt = member{"retryAt", described(moment, "When it is tried again, because a hook could not be asked.")}

// listedSchedule is a schedule in the list of all documents'.
func (d *document) listedSchedule() object {
	return d.define("QuireListedSchedule", func() value {
		members := append(object{{"type", typed("string")}}, d.scheduleMembers(scheduleStates...)...)
		return openObject(append(members, member{"doneAt", nullable(moment)}), "type", "id", "action", "at", "state", "createdAt", "doneAt")
	})
}

var scheduleStates = []string{"scheduled", "done", "failed"}

func (d *document) schedules() map[string]operation {
	return map[string]operation{
		"GET /api/_schedules": {
			summary: "List what is scheduled, was done or has failed, of all documents",
			about:   "Of types whose drafts the caller may read or whose documents it may publish or take back: first what is to come, the soonest first, then the rest, the latest first.",
			parameters: list{shortPages(), inQuery("state", "Only schedules in this state.", words(scheduleStates...)),
				inQuery("type", "Only those of documents of this type, by its uid.", typed("string")),
				inQuery("documentId", "Only those of this document; a list, as in `documentId[0]=…`, of up to 100.", typed("string"))},
			answers: []answer{answerFound(closedObject(object{{"data", arrayOf(d.listedSchedule())}, {"meta", d.define("ListMeta", listMeta)}}))},
		},
		"DELETE /api/_schedules/:id": {summary: "Cancel what is scheduled, or remove what has failed", fails: []string{"409"}, about: "The caller must hold the action on the type.", answers: []answer{answerEmpty()}},
	}
}

var stepAction = words("publish", "unpublish")

func words(all ...string) object { return typed("string").with(member{"enum", texts(all)}) }

func (d *document) stepFailure() object {
	return d.define("QuireStepFailure", func() value { return openObject(failureMembers(), "reason") })
}

func failureMembers() object {
	problem := closedObject(object{{"path", arrayOf(typed("string"))}, {"message", typed("string")}})
	return object{{"reason", typed("string")}, {"problems", arrayOf(problem)}}
}

// step is what a release does to one document.
func (d *document) step(more object) object {
	members := object{
		{"type", typed("string").with(member{"examples", list{text("api::article.article")}})},
		{"documentId", typed("string")}, {"action", stepAction}, {"locales", locales}, {"discardDraft", typed("boolean")},
	}
	return openObject(append(members, more...), "type", "action")
}

// release is a release, as lists show it or with its steps.
func (d *document) release() object {
	return d.define("QuireRelease", func() value {
		steps := arrayOf(d.define("QuireReleaseStep", func() value { return d.step(object{{"failure", d.stepFailure()}}) }))
		return openObject(object{
			{"id", typed("string")}, {"name", typed("string")}, {"state", words("planned", "scheduled", "done", "failed")},
			{"at", nullable(moment)}, {"doneAt", nullable(moment)}, {"createdAt", moment}, {"updatedAt", moment}, retryAt,
			{"stepCount", typed("integer")}, {"steps", described(steps, "Those on types that the caller may find.")}, {"hiddenSteps", typed("integer")},
		}, "id", "name", "state", "at", "doneAt", "createdAt", "updatedAt", "stepCount")
	})
}

// shortPages is the pagination of releases and schedules.
func shortPages() object {
	n := typed("integer")
	return bracketParameter("pagination", "The part of the list to show; `pageSize` is at most 100.", openObject(object{{"page", n}, {"pageSize", n}}))
}

func (d *document) releases() map[string]operation {
	const all, one = "/api/_releases", "/api/_releases/:id"
	wanted := func(required ...string) object {
		data := openObject(object{{"name", typed("string")}, {"at", nullable(moment)}, {"steps", arrayOf(d.step(nil))}}, required...)
		return requiredBody(jsonContent(openObject(object{{"data", data}}, "data")))
	}
	shown := plainEnvelope(d.release())
	failure := openObject(append(object{{"step", typed("integer")}}, failureMembers()...), "step", "reason")
	checked := closedObject(object{{"ok", typed("boolean")}, {"failures", arrayOf(failure)}})
	const forOthers = "Whoever publishes a release, or has it done at a time, must hold the action of each step on its type."
	return map[string]operation{
		"GET " + all: {summary: "List releases, the newest first, without their steps", parameters: list{
			shortPages(), inQuery("state", "Only releases in this state.", words("planned", "scheduled", "done", "failed")),
		}, answers: []answer{answerFound(closedObject(object{{"data", arrayOf(d.release())}, {"meta", d.define("ListMeta", listMeta)}}))}},
		"POST " + all:              {summary: "Plan a release", about: forOthers, body: wanted("name"), answers: []answer{answerCreated(shown)}},
		"GET " + one:               {summary: "Read a release", answers: []answer{answerFound(shown)}},
		"PUT " + one:               {summary: "Change a release that is not done", fails: []string{"409"}, about: "What the body leaves out stays as it is. " + forOthers, body: wanted(), answers: []answer{answerWritten(shown)}},
		"DELETE " + one:            {summary: "Delete a release", fails: []string{"409"}, about: "What it has done stays done.", answers: []answer{answerEmpty()}},
		"GET " + one + "/check":    {summary: "Name all steps that would fail now", about: forOthers, answers: []answer{answerFound(plainEnvelope(checked))}},
		"POST " + one + "/publish": {summary: "Do all steps of a release now, or none", fails: []string{"409"}, about: forOthers, body: emptyBody, answers: []answer{{200, "The release, which is done.", jsonContent(shown)}}},
	}
}
