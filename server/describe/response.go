package describe

// failures are the ways in which operations fail.
var failures = []struct {
	status, name, about string
	isUsual             bool   // of every operation that is for some callers alone
	form                string // the schema of the answer, in builtin.api
}{
	{"400", "Invalid", "The parameters or the body make no sense.", false, "failure"},
	{"401", "Unauthorized", "The credential is not valid.", true, "failure"},
	{"403", "Forbidden", "The caller does not hold the permission. Who may write drafts only reads which action publishing needs.", true, "failure"},
	{"404", "NotFound", "There is no such thing, or no such version of it.", false, "failure"},
	{"409", "Overtaken", "Somebody else has changed or done it meanwhile.", false, "failure"},
	{"410", "Gone", "The version can no longer be read, or a copy or a stream cannot go on from there.", false, "failure"},
	{"412", "Changed", "The document has changed since it was read, or is not there. `details` has its version now and, as far as that is known, the paths that have changed.", false, "changed"},
	{"default", "Failure", "Anything else that keeps the request from being carried out.", true, "failure"},
}

// sharedResponses are those that several operations have.
func (d *document) sharedResponses() object {
	responses := object{{"NotModified", object{
		{"description", "The client has the answer already."},
		{"headers", object{{"ETag", object{{"$ref", "#/components/headers/Tag"}}}}},
	}}}
	for _, f := range failures {
		responses = append(responses, member{f.name, object{
			{"description", f.about},
			{"content", jsonContent(d.named(f.form))},
		}})
	}
	return responses
}

// headers are those of answers, by the names of their components.
var headers = object{
	{"Version", object{
		{"description", "The version of the document, a number that grows with each write that changes it."},
		{"schema", typed("integer")},
	}},
	{"Tag", object{
		{"description", "Names the answer, for `If-None-Match`. Of one document without `populate` it begins with the version, and does for `If-Match`."},
		{"schema", typed("string")},
	}},
	{"Omitted", object{
		{"description", "What is left out of an answer that would be too large: `populate`, or `populate, fields`. The write is done."},
		{"schema", typed("string")},
	}},
}
