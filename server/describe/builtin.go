package describe

import (
	"maps"

	"quire/schema"
	"quire/schema/settings"
)

// builtIn describes an endpoint that is not about a content type. One that has no
// description here has what its route says.
func (d *document) builtIn(r Route) operation {
	if d.builtIns == nil {
		d.builtIns = map[string]operation{}
		for _, group := range []map[string]operation{d.server(), d.files(), d.signIn(), d.connecting(), d.users(), d.roles(), d.releases(), d.schedules(), d.webhooks()} {
			maps.Copy(d.builtIns, group)
		}
	}
	if o, ok := d.builtIns[r.Method+" "+r.Path]; ok {
		return o
	}
	o := operation{summary: r.Method + " " + r.Path, answers: []answer{answerFound(object{})}}
	if r.Method == "POST" || r.Method == "PUT" {
		o.body = object{{"content", jsonContent(object{})}}
	}
	return o
}

func (d *document) server() map[string]operation {
	return map[string]operation{
		"GET /_health": {summary: "Whether the server answers", answers: []answer{answerEmpty()}},
		"GET /_ready": {summary: "Whether the server serves all content and takes writes", answers: []answer{
			{204, "It does.", nil}, {503, "It does not; the message says why.", jsonContent(errorSchema)},
		}},
		"GET /metrics":          {summary: "What the server does, in the format of Prometheus", answers: []answer{{200, "The metrics.", textContent("text/plain")}}},
		"GET /api/i18n/locales": {summary: "List the locales", answers: []answer{answerFound(arrayOf(d.define("LocaleEntry", localeEntry)))}},
		"GET /api/_backup":      downloadBackup(),
		"POST /api/_batch":      d.batch(), "GET /api/_changes": d.changes(), "GET /api/_events": d.events(),
		"GET /api/openapi.json": {summary: "This document", answers: []answer{answerFound(typed("object"))}},
		"GET /api/docs": {summary: "This document as a page to read and to try", answers: []answer{{200, "The page.", textContent("text/html")}},
			about: "A browser that may not read it gets the page with 403, which says how to sign in."},
		"GET /api/docs/types":   {summary: "What the caller can ask for: types, attributes and routes", answers: []answer{answerFound(typed("object"))}},
		"GET /api/docs/graphql": {summary: "The GraphQL schema as the caller may use it", answers: []answer{answerFound(typed("object"))}},
		"GET /api/docs/:file": {summary: "A script or the style of the page", answers: []answer{
			{200, "The file.", object{{"text/javascript", object{}}, {"text/css", object{}}}}, {304, "The client has it already.", nil},
		}},
	}
}

// batch is many writes in one.
func (d *document) batch() operation {
	request := openObject(object{
		{"method", object{{"enum", texts([]string{"POST", "PUT", "DELETE"})}}},
		{"url", described(typed("string"), "The path of the write, below /api/, with its query.")},
		{"body", described(object{{"type", texts([]string{"object", "null"})}}, "The body that the request has alone.")},
		{"ifMatch", described(object{{"type", texts([]string{"string", "integer"})}}, "The version of the document that the write is made for.")},
	}, "method", "url")
	answered := openObject(object{
		{"status", typed("integer")},
		{"version", described(typed("integer"), "The version of the document now.")},
		{"body", described(object{{"type", texts([]string{"object", "null"})}}, "The answer that the request has alone.")},
		{"omitted", described(typed("string"), "What is left out of the answer.")},
	}, "status", "body")
	limits := &d.site.Settings.Limits
	requests := arrayOf(request).with(member{"minItems", whole(1)}, member{"maxItems", whole(limits.BatchRequests)})
	return operation{
		summary: "Do many writes in one transaction, or none of them",
		fails:   []string{"412"},
		about:   "Takes creates, updates, deletes and actions of content, in their order; each needs the permission that it needs alone. A url or a body names the document of an earlier request as `{{0.documentId}}`. An error names the request at fault in `details.request`, counted from 0.",
		body:    requiredBody(jsonContent(closedObject(object{{"requests", requests}}))),
		answers: []answer{{200, "All are done; the answers are in the order of the requests.", jsonContent(closedObject(object{{"data", arrayOf(answered)}, {"meta", typed("object")}}))}},
	}
}

// downloadBackup is the newest backup.
func downloadBackup() operation {
	file := object{{"application/zstd", object{}}}
	return operation{
		summary: "Download the newest backup",
		about:   "The backup holds everything, password hashes and keys included. Only a custom token that names the permission may read it; full access does not include it. Takes Range with If-Range, and If-None-Match.",
		answers: []answer{
			{200, "The backup.", file}, {206, "The part of it that was asked for.", file}, {304, "The client has it already.", nil},
			{404, "The server has no backup.", jsonContent(errorSchema)}, {429, "Too many backups are being downloaded.", jsonContent(errorSchema)},
		},
	}
}

func textContent(media string) object { return object{{media, object{{"schema", typed("string")}}}} }

func localeEntry() value {
	return closedObject(object{
		{"id", typed("integer")}, {"documentId", typed("string")}, {"name", typed("string")}, {"code", typed("string")},
		{"createdAt", moment}, {"updatedAt", moment}, {"publishedAt", moment}, {"isDefault", typed("boolean")},
	})
}

// files are the endpoints of the media library.
func (d *document) files() map[string]operation {
	file := d.site.Type(schema.FileUID)
	stored := func() object {
		return d.define("StoredFile", func() value {
			return d.entryWith(file, entryForm{}, object{{"isUrlSigned", typed("boolean")}})
		})
	}
	page := closedObject(object{{"data", arrayOf(stored())}, {"meta", d.define("ListMeta", listMeta)}})
	return map[string]operation{
		"POST /api/upload":                    d.upload(stored()),
		"GET /api/upload/files":               {summary: "List files", parameters: d.bareParameters(file), answers: []answer{answerFound(arrayOf(stored()))}},
		"GET /api/upload/files/page":          {summary: "List files in pages", parameters: d.bareParameters(file), answers: []answer{answerFound(page)}},
		"GET /api/upload/files/:id":           {summary: "Read what is known of a file", parameters: d.show(file), answers: []answer{answerFound(stored())}},
		"GET /api/upload/files/:id/links":     d.linking("List what links to a file"),
		"DELETE /api/upload/files/:id":        {summary: "Delete a file", answers: []answer{{200, "What was known of it.", jsonContent(stored())}}},
		"GET /uploads/*name":                  d.download(),
		"POST /api/upload/files/:id/pictures": signing(),
		"PUT /api/upload/files/:id/edit":      editing(stored()),
		"DELETE /api/upload/files/:id/edit":   {summary: "Put the original of an edited picture back", answers: []answer{{200, "The file.", jsonContent(stored())}}},
	}
}

// download is a file, or a picture that is made of it.
func (d *document) download() operation {
	anything := object{{"*/*", object{}}}
	o := operation{summary: "Download a file", answers: []answer{
		{200, "The file.", anything}, {206, "The part of it that was asked for.", anything}, {304, "The client has it already.", nil},
	}}
	rules := &d.site.Settings.Upload.Pictures
	if !rules.On() {
		return o
	}
	upTo := func(most int) object {
		return typed("integer").with(member{"minimum", whole(1)}, member{"maximum", whole(most)})
	}
	o.about = "With parameters, a picture that is made of the file. Sizes, qualities and formats that the site does not list need a signature."
	o.parameters = list{
		inQuery("w", "The most pixels that the picture is wide.", upTo(settings.LongestSide)),
		inQuery("h", "The most pixels that it is high.", upTo(settings.LongestSide)),
		inQuery("fit", "cover cuts it to the shape of w and h, around its focal point; inside shows all of it.", object{{"enum", texts([]string{"cover", "inside"})}}),
		inQuery("q", "The quality of JPEG and WebP.", upTo(100)),
		inQuery("format", "auto chooses by the header Accept.", object{{"enum", texts(settings.PictureFormats)}}),
		inQuery("expires", "When a signed address expires, in unix seconds.", typed("integer").with(member{"minimum", whole(1)})),
		inQuery("s", "The signature.", typed("string")),
	}
	return o
}

// signing makes signed addresses of pictures.
func signing() operation {
	pictures := arrayOf(described(typed("string"), "Parameters, such as w=800&h=600&fit=cover."))
	const year = 365 * 24 * 60 * 60
	seconds := described(typed("integer").with(member{"minimum", whole(1)}, member{"maximum", whole(year)}), "After how many seconds the addresses expire; they do not when it is left out.")
	return operation{
		summary: "Sign addresses of pictures that are made of a file",
		body:    requiredBody(jsonContent(openObject(object{{"pictures", pictures}, {"expiresIn", nullable(seconds)}}, "pictures"))),
		answers: []answer{{200, "The addresses, in the order of the parameters.", jsonContent(closedObject(object{{"urls", arrayOf(typed("string"))}}))}},
	}
}

// editing turns and cuts a picture.
func editing(file object) operation {
	pixels := typed("integer").with(member{"minimum", whole(0)})
	crop := closedObject(object{{"x", pixels}, {"y", pixels}, {"width", pixels}, {"height", pixels}})
	return operation{
		summary: "Turn and cut a picture, and keep its original",
		about:   "What is done is done to the original, whatever was done to it before.",
		body: requiredBody(jsonContent(openObject(object{
			{"rotate", described(object{{"enum", list{whole(0), whole(90), whole(180), whole(270)}}}, "Degrees, clockwise.")},
			{"crop", described(crop, "The part that is taken of the turned picture, in pixels.")},
		}))),
		answers: []answer{{200, "The file.", jsonContent(file)}},
	}
}

// upload takes new files or, with an id in the query, changes one.
func (d *document) upload(file object) operation {
	info := described(typed("string"), `JSON: {"name", "alternativeText", "caption", "focalPoint"} of the file, or a list with one for each file.`)
	form := object{{"type", text("object")}, {"properties", object{
		{"files", described(arrayOf(object{}), "The files.")},
		{"fileInfo", info},
		{"ref", described(typed("string"), "The uid of a content type, with refId and field: an entry that is to show the files.")},
		{"refId", typed("string")},
		{"field", typed("string")},
	}}}
	return operation{
		summary:    "Upload files, or change one",
		parameters: list{inQuery("id", "The id of a file that is to be changed: what is known of it and, where the form has one, the file itself.", typed("string"))},
		body:       requiredBody(object{{"multipart/form-data", object{{"schema", form}}}}),
		answers: []answer{
			{200, "The file that has been changed.", jsonContent(file)},
			answerCreated(arrayOf(file)),
		},
	}
}

// bareParameters are those of a list without an envelope, which shows all entries that
// match unless the request limits them.
func (d *document) bareParameters(t *schema.Type) list {
	own := append(list{d.filters(t), d.parameter("sort", sortSchema)}, d.show(t)...)
	n := typed("integer")
	return append(own,
		d.parameter("barePagination", barePagination),
		d.parameter("start", func() object { return inQuery("start", "How many to leave out at the beginning.", n) }),
		d.parameter("limit", func() object { return inQuery("limit", "How many to show at most; by default all.", n) }),
		d.parameter("_q", search),
	)
}
