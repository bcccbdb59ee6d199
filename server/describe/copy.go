package describe

// changes is what somebody reads who keeps a copy.
func (d *document) changes() operation {
	about := "Without `since` it shows everything, a page at a time; pass `meta.since` as `since` to go on. When there is no more, the copy is what the caller saw at `meta.revision`, and the same `since` asks for what has changed after that. 410 says to begin again without it."
	return operation{
		summary:    "Read everything, or what has changed, to keep a copy",
		fails:      []string{"410"},
		about:      about + " It has the types that the caller may find.",
		parameters: append(copyParameters(), d.formatHeader()...),
		answers: []answer{answerFound(d.define("QuireChanges", func() value {
			return closedObject(object{{"data", arrayOf(d.define("QuireChange", d.change))}, {"meta", closedObject(object{
				{"revision", described(typed("integer"), "The commit up to which the copy has everything that concerns it, when there is no more.")},
				{"since", described(typed("string"), "What to pass as `since` in the next request.")},
				{"more", described(typed("boolean"), "Whether to ask at once.")},
			})}})
		}))},
	}
}

func copyParameters() list {
	names := arrayOf(typed("string"))
	return list{
		inQuery("types", "Of which content types, by uid or as in their paths; by default all that the caller may read.", names),
		inQuery("since", "Where to go on: `meta.since` of an answer, or a revision.", typed("string")),
		inQuery("locale", "One locale, or `*` for all, which is the default.", typed("string")),
		inQuery("status", "Drafts or published entries; by default those that are published.", words("draft", "published")),
		inQuery("fields", "The attributes to show, which all types must have; by default all.", names),
		inQuery("populate", "What to populate, as in lists.", names),
		inQuery("limit", "How many entries a page may have, up to 1,000; by default 100.", typed("integer")),
	}
}

// change is an entry as it is, or that it is gone.
func (d *document) change() value {
	return openObject(object{
		{"type", typed("string").with(member{"examples", list{text("api::article.article")}})}, {"documentId", typed("string")},
		{"locale", nullable(d.locale())}, {"status", words("draft", "published")}, {"action", words("update", "delete")},
		{"revision", described(typed("integer"), "Of the last commit that is known to have changed it.")},
		{"entry", described(typed("object"), "The entry, unless it is deleted, as lists of its type show it.")},
	}, "type", "documentId", "locale", "status", "action", "revision")
}
