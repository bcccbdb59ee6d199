package describe

// The changes as they happen.

// events is the stream of events.
func (d *document) events() operation {
	words := func(about string) object { return described(typed("string"), about) }
	change := d.define("QuireEvent", func() value {
		return openObject(object{
			{"revision", described(typed("integer"), "Of the commit.")},
			{"at", moment},
			{"action", object{{"enum", texts([]string{"create", "update", "publish", "unpublish", "delete"})}}},
			{"type", words("The uid of the content type.")},
			{"documentId", typed("string")},
			{"locale", object{{"type", texts([]string{"string", "null"})}}},
			{"status", object{{"enum", texts([]string{"draft", "published"})}}},
			{"actor", described(object{{"type", texts([]string{"object", "null"})}}, "Who did it, for callers with `readHistory`.")},
			{"entry", described(object{{"type", texts([]string{"object", "null"})}}, "With `include=entry`: the entry as it is now; null when it is gone.")},
			{"entryOmitted", described(typed("boolean"), "The entry takes too much to be sent along; it is to be read by itself.")},
		}, "revision", "at", "action", "type", "documentId", "locale", "status")
	})
	var codes []string
	for _, l := range d.site.Settings.Locales {
		codes = append(codes, l.Code)
	}
	return operation{
		summary: "Hear of changes as they happen",
		fails:   []string{"410"},
		about:   "Server-sent events, each with a `QuireEvent` in JSON as its data and a position as its id. A caller hears of the types that it may find, and of drafts with `readDraft`. `event: reset` says that the content has to be read anew. A stream ends when its caller may do something else than when it began.",
		parameters: list{
			inQuery("types", "Content types, by uid or by the name that they have in URLs, with commas between them; by default all that the caller may find.", typed("string")),
			inQuery("documentId", "Documents, with commas between them.", typed("string")),
			inQuery("locale", "Locales, with commas between them: "+quotedNames(codes)+". Types that are not localized have none.", typed("string")),
			inQuery("status", "Drafts or published entries alone.", object{{"enum", texts([]string{"draft", "published"})}}),
			inQuery("since", "The id of the event to go on after; the header `Last-Event-ID` comes first. 410 when it is no longer known.", typed("string")),
			inQuery("include", "`entry` sends the entry along.", object{{"enum", texts([]string{"entry"})}}),
			inQuery("fields", "With `include=entry`, as in reads.", typed("string")),
			inQuery("populate", "With `include=entry`, as in reads.", typed("string")),
		},
		answers: []answer{{200, "The stream; the data of each event has this form.", object{{"text/event-stream", object{{"schema", change}}}}}},
	}
}

// isOpen reports whether a route has no permission of its own, while what it does needs
// those of the types that it is about.
func isOpen(r Route) bool { return isBatch(r) || isCopy(r) || isEvents(r) }

func isEvents(r Route) bool { return r.Path == "/api/_events" }
