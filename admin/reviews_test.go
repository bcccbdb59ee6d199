package admin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"quire/content/review"
	"quire/store"
)

const (
	restaurants = "api::restaurant.restaurant"
	threeStages = `{"stages":[{"id":"draft","name":"Writing"},{"id":"look","name":"In review"},{"id":"ready","name":"Ready","from":["look"]%}],"publish":"ready"}`
)

// stages sets the stages of restaurants; roles are those that may move documents to the last one.
func (v *client) stages(roles ...string) {
	v.t.Helper()
	more := ""
	if len(roles) > 0 {
		more = `,"roles":["` + strings.Join(roles, `","`) + `"]`
	}
	version := v.want(200, "GET", "/workflows/"+restaurants, "").text("data.version")
	v.want(200, "PUT", "/workflows/"+restaurants, `{"version":"`+version+`","workflow":`+strings.Replace(threeStages, "%", more, 1)+`}`)
}

func reviewOf(id string) string { return "/reviews/" + restaurants + "/" + id }

// Ada asks Ben to look, Ben comments on a field and is answered, and moves the document to the
// stage from which Ada may publish it. Before, publishing is refused with the stage.
func TestADocumentIsReviewed(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	reviewer := v.want(201, "POST", "/roles", `{"name":"Reviewer","rights":{"types":{"*":{"actions":["read"]}}}}`).text("data.id")
	adaID, ada := v.addAccount("ada", "editor")
	benID, ben := v.addAccount("ben", reviewer)
	v.stages(reviewer)
	id := ada.make("restaurants?status=draft", `{"name":"Blue Door"}`)
	a := ada.want(200, "GET", reviewOf(id), "")
	if a.text("data.stage") != "draft" || !strings.Contains(a.body, `{"id":"look","name":"In review","may":true},{"id":"ready","name":"Ready","may":false}`) {
		t.Errorf("a new document: %s", a.body)
	}
	publish := "/content/restaurants/" + id + "/actions/publish"
	a = ada.want(400, "POST", publish, "")
	if a.text("error.message") != "This document is in the stage “Writing”; it can be published from “Ready” only" || a.text("error.details.neededStage") != "Ready" {
		t.Errorf("publishing before: %s", a.body)
	}
	ada.want(200, "PUT", reviewOf(id), `{"stage":"look","assignee":"`+benID+`","due":"2026-05-11"}`)
	if h := ben.want(200, "GET", "/home", ""); !strings.Contains(h.body, `"stage":"In review","due":"2026-05-11","assigned":true,"mentioned":false`) {
		t.Errorf("the home page of Ben: %s", h.body)
	}
	thread := ben.want(201, "POST", reviewOf(id)+"/comments", `{"text":"@ada too short?","field":"name","mentions":["`+adaID+`"]}`)
	number := firstID(thread)
	if h := ada.want(200, "GET", "/home", ""); !strings.Contains(h.body, `"assigned":false,"mentioned":true`) {
		t.Errorf("the home page of Ada: %s", h.body)
	}
	ada.want(403, "PUT", reviewOf(id), `{"stage":"ready"}`)
	ada.want(201, "POST", reviewOf(id)+"/comments", `{"text":"It is the name on the door","thread":"`+number+`"}`)
	if h := ada.want(200, "GET", "/home", ""); !strings.Contains(h.body, `"reviews":[]`) {
		t.Errorf("Ada has answered, and sees %s", h.body)
	}
	a = ada.want(200, "PUT", reviewOf(id)+"/comments/"+number, `{"resolved":true}`)
	if strings.Count(a.body, `"field":"name"`) != 2 || !strings.Contains(a.body, `"resolved":{"by":{"id":"`+adaID+`","name":"ada"}`) {
		t.Errorf("resolved: %s", a.body)
	}
	ben.want(200, "PUT", reviewOf(id), `{"stage":"ready"}`)
	if h := ben.want(200, "GET", "/home", ""); !strings.Contains(h.body, `"reviews":[]`) {
		t.Errorf("Ben is done, and sees %s", h.body)
	}
	ada.want(200, "POST", publish, "")
	if want := []string{"ben@example.org: ada asks you to look at Blue Door", "ada@example.org: ben mentions you: Blue Door", "ben@example.org: ada comments on Blue Door"}; !slices.Equal(o.postbox.sent, want) {
		t.Errorf("sent: %q", o.postbox.sent)
	}
	audit := v.want(200, "GET", "/audit", "").body
	for _, part := range []string{`"action":"review.move"`, `"from":"In review","to":"Ready"`, `"action":"review.comment"`, `"action":"review.resolve"`, `"action":"review.assign"`, `"action":"workflow.set"`} {
		if !strings.Contains(audit, part) {
			t.Errorf("there is no %s in the audit log", part)
		}
	}
	if strings.Contains(audit, "short") || strings.Contains(audit, "on the door") {
		t.Error("the audit log has the text of comments")
	}
}

// firstID is the id of the first comment in a response.
func firstID(a *answer) string {
	_, rest, _ := strings.Cut(a.body, `"comments":[{"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// Every way in which people publish passes the rule: at once, with a save, for all locales, in a
// batch, in a release, at a time. A token of the content API is not asked, as in Strapi.
func TestWaysToPublishNeedTheStage(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.stages()
	id := v.make("restaurants?status=draft", `{"name":"Blue Door"}`)
	v.want(200, "PUT", "/content/restaurants/"+id+"?status=draft&locale=fr", `{"data":{"name":"Porte"}}`)
	release := `{"data":{"name":"R","steps":[{"type":"` + restaurants + `","documentId":"` + id + `","action":"publish"}]}}`
	made := v.want(201, "POST", "/content/_releases", release).text("data.id")
	try := func(want bool, en bool) {
		t.Helper()
		for _, r := range []struct{ method, path, body string }{
			{"POST", "/content/restaurants/" + id + "/actions/publish", ""},
			{"POST", "/content/restaurants/" + id + "/actions/publish?locale=*", ""},
			{"PUT", "/content/restaurants/" + id, `{"data":{"name":"Red Door"}}`},
			{"POST", "/content/_batch", `{"requests":[{"method":"POST","url":"/api/restaurants/` + id + `/actions/publish"}]}`},
			{"POST", "/content/_releases/" + made + "/publish", ""},
		} {
			a := v.ask(r.method, r.path, r.body)
			allowed := want && (en || !strings.Contains(r.path, "*"))
			if (a.status < 300) != allowed || !allowed && !strings.Contains(a.body, "it can be published from “Ready” only") {
				t.Errorf("%s %s: %d %s", r.method, r.path, a.status, a.body)
			}
		}
	}
	try(false, false)
	v.want(400, "POST", "/content/restaurants", `{"data":{"name":"New"}}`)
	v.want(200, "PUT", reviewOf(id), `{"stage":"look"}`)
	v.want(200, "PUT", reviewOf(id), `{"stage":"ready"}`)
	try(true, false) // French is in another stage
	token := v.want(201, "POST", "/tokens", `{"name":"all","type":"full-access"}`).text("data.token")
	o.client().want(200, "PUT", "//api/restaurants/"+id+"?locale=fr", `{"data":{"name":"Porte rouge"}}`, "Authorization", "Bearer "+token)
}

// A file that is uploaded for a document would be seen at once in what is published of it. Before the
// stage from which it is published, that is refused, and the file is not stored.
func TestUploadsForADocumentNeedTheStage(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id := v.make("restaurants", `{"name":"Blue Door"}`)
	v.stages()
	number := v.want(200, "GET", "/content/restaurants/"+id, "").text("data.id")
	upload := func(status int) {
		t.Helper()
		form, kind := v.fileForm("a.png", map[string]string{"ref": restaurants, "refId": number, "field": "cover"})
		if a := v.want(status, "POST", "/content/upload", form, "Content-Type", kind); status == 400 && a.text("error.details.neededStage") != "Ready" {
			t.Errorf("refused: %s", a.body)
		}
	}
	upload(400)
	if files := v.want(200, "GET", "/content/upload/files", "").body; files != "[]" {
		t.Errorf("after it was refused there is %s", files)
	}
	v.want(200, "PUT", reviewOf(id), `{"stage":"look"}`)
	v.want(200, "PUT", reviewOf(id), `{"stage":"ready"}`)
	upload(201)
}

// Who may move what where: the stages say it, and only owners are free of it.
func TestWhoMovesDocuments(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.stages("developer")
	_, ed := v.addAccount("ed", "editor")
	_, dev := v.addAccount("dev", "developer")
	reader := v.reader("reads", restaurants, "")
	id := v.make("restaurants?status=draft", `{"name":"Blue Door"}`)
	reader.want(403, "PUT", reviewOf(id), `{"stage":"look"}`)
	reader.want(403, "PUT", reviewOf(id), `{"due":"2026-05-11"}`)
	ed.want(400, "PUT", reviewOf(id), `{"stage":"ready"}`)
	ed.want(400, "PUT", reviewOf(id), `{"stage":"nowhere"}`)
	ed.want(200, "PUT", reviewOf(id), `{"stage":"look"}`)
	ed.want(403, "PUT", reviewOf(id), `{"stage":"ready"}`)
	dev.want(200, "PUT", reviewOf(id), `{"stage":"ready"}`)
	own := v.want(201, "POST", "/roles", `{"name":"Own","rights":{"types":{"*":{"actions":["read","update"],"own":true}}}}`).text("data.id")
	_, them := v.addAccount("own", own)
	them.want(403, "PUT", reviewOf(id), `{"stage":"draft"}`)
	ed.want(403, "GET", "/workflows/"+restaurants, "")
	ed.want(403, "PUT", "/workflows/"+restaurants, `{"version":"","workflow":{"stages":[]}}`)
	v.want(409, "PUT", "/workflows/"+restaurants, `{"version":"","workflow":{"stages":[]}}`)
	other := v.make("restaurants?status=draft", `{"name":"In the first stage"}`)
	want := `{"data":[{"documentId":"` + id + `","stage":"Ready","stageId":"ready","assignee":null}],"meta":{"more":false}}`
	for _, query := range []string{"", "?documents=" + id} {
		if lines := ed.want(200, "GET", "/reviews/"+restaurants+query, ""); lines.body != want {
			t.Errorf("the list: %s", lines.body)
		}
	}
	if lines := ed.want(200, "GET", "/reviews/"+restaurants+"?documents="+other, ""); lines.text("data.0.stageId") == "ready" {
		t.Errorf("a document that nobody has moved: %s", lines.body)
	}
	if schema := ed.want(200, "GET", "/schema", ""); !strings.Contains(schema.body, `"stages":[{"id":"draft",`) {
		t.Errorf("the stages are not in the schema")
	}
	const view = `{"name":"Mine","filters":[{"path":["__stage"],"operator":"among","values":["ready"]}],"columns":[{"key":"__review"}]}`
	ed.want(201, "POST", "/views/"+restaurants, view)
	if views := ed.want(200, "GET", "/views/"+restaurants, ""); !strings.Contains(views.body, `"__stage"`) || !strings.Contains(views.body, `"__review"`) {
		t.Errorf("a view by stages: %s", views.body)
	}
	ed.want(400, "POST", "/views/"+restaurants, strings.Replace(view, `"__stage"`, `"__stage","name"`, 1))
}

// What makes no sense is refused with its key.
func TestReviewsThatAreRefused(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.stages()
	id := v.make("restaurants?status=draft", `{"name":"Blue Door"}`)
	many := strings.Repeat(`"x",`, 20) + `"x"`
	for _, test := range []struct{ method, path, body, key string }{
		{"PUT", reviewOf(id), `{"due":"tomorrow"}`, "due"},
		{"PUT", reviewOf(id), `{"assignee":"nobody"}`, "assignee"},
		{"PUT", reviewOf(id), `{"stage":"x"}`, "stage"},
		{"POST", reviewOf(id) + "/comments", `{"text":" "}`, "text"},
		{"POST", reviewOf(id) + "/comments", `{"text":"` + strings.Repeat("x", 4001) + `"}`, "text"},
		{"POST", reviewOf(id) + "/comments", `{"text":"a\u0000b"}`, "text"},
		{"POST", reviewOf(id) + "/comments", `{"text":"a","field":"nothing"}`, "field"},
		{"POST", reviewOf(id) + "/comments", `{"text":"a","mentions":[` + many + `]}`, "mentions"},
		{"POST", reviewOf(id) + "/comments", `{"text":"a","mentions":["nobody"]}`, "mentions"},
		{"PUT", "/workflows/" + restaurants, `{"version":""}`, "workflow"},
		{"PUT", "/workflows/" + restaurants, `{"version":"","workflow":{"stages":[{"id":"A","name":"x"}]}}`, "workflow.stages[0].id"},
		{"PUT", "/workflows/" + restaurants, `{"version":"","workflow":{"stages":[{"id":"a","name":""}]}}`, "workflow.stages[0].name"},
		{"PUT", "/workflows/" + restaurants, `{"version":"","workflow":{"stages":[{"id":"a","name":"x"},{"id":"a","name":"y"}]}}`, "workflow.stages[1].id"},
		{"PUT", "/workflows/" + restaurants, `{"version":"","workflow":{"stages":[{"id":"a","name":"x"},{"id":"b","name":"x"}]}}`, "workflow.stages[1].name"},
		{"PUT", "/workflows/" + restaurants, `{"version":"","workflow":{"stages":[{"id":"a","name":"x","from":["b"]}]}}`, "workflow.stages[0].from[0]"},
		{"PUT", "/workflows/" + restaurants, `{"version":"","workflow":{"stages":[{"id":"a","name":"x","roles":["nobody"]}]}}`, "workflow.stages[0].roles[0]"},
		{"PUT", "/workflows/" + restaurants, `{"version":"","workflow":{"stages":[],"publish":"a"}}`, "workflow.publish"},
		{"PUT", "/workflows/api::category.category", `{"version":"","workflow":{"stages":[{"id":"a","name":"x"}],"publish":"a"}}`, "workflow.publish"},
		{"PUT", "/workflows/" + restaurants, `{"version":"","workflow":{"stages":[` + strings.Repeat(`{"id":"a","name":"x"},`, 20) + `{"id":"b","name":"y"}]}}`, "workflow.stages"},
	} {
		if a := v.want(400, test.method, test.path, test.body); a.text("error.details.key") != test.key {
			t.Errorf("%s %s: %s", test.path, test.body, a.body)
		}
	}
	for _, path := range []string{reviewOf("nothing"), reviewOf("_count"), "/reviews/api::none.none/x", "/reviews/place.geo/x"} {
		v.want(404, "GET", path, "")
	}
	v.want(404, "PUT", reviewOf(id)+"/comments/1", `{"resolved":true}`)
	v.want(404, "POST", reviewOf(id)+"/comments", `{"text":"a","thread":"7"}`)
}

// Comments are bounded, removed by their authors, and gone with their document.
func TestCommentsEndWithTheirDocument(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	_, ed := v.addAccount("ed", "editor")
	id := v.make("restaurants?status=draft", `{"name":"Blue Door"}`)
	me := v.want(200, "GET", "/session", "").text("data.account.id")
	v.want(200, "PUT", "/content/restaurants/"+id+"?status=draft&locale=fr", `{"data":{"name":"Porte"}}`)
	v.want(200, "PUT", reviewOf(id), `{"assignee":"`+me+`"}`)
	v.want(201, "POST", reviewOf(id)+"/comments?locale=fr", `{"text":"in French"}`)
	first := firstID(v.want(201, "POST", reviewOf(id)+"/comments", `{"text":"first"}`))
	ed.want(403, "DELETE", reviewOf(id)+"/comments/"+first, "")
	ed.want(201, "POST", reviewOf(id)+"/comments", `{"text":"answer","thread":"`+first+`"}`)
	v.want(403, "DELETE", reviewOf(id)+"/comments/"+first, "")
	last := &review.Comment{}
	for range 198 {
		last = &review.Comment{Text: "more", By: me}
		all := review.NewBoard(o.db, o.clock.Now)
		check(t, all.Add(review.Place{UID: restaurants, DocumentID: id, Locale: "en"}, last, func(string) bool { return true }, &review.Beside{}))
	}
	v.want(507, "POST", reviewOf(id)+"/comments", `{"text":"too many"}`)
	v.want(204, "DELETE", reviewOf(id)+"/comments/"+last.ID, "")
	v.want(201, "POST", reviewOf(id)+"/comments", `{"text":"again"}`)
	v.want(204, "DELETE", "/content/restaurants/"+id+"?locale=en", "")
	if got := o.reviewRecords(); got != "admin.comments 1, admin.reviews 0, admin.waiting 0" {
		t.Errorf("when English is deleted there are %s", got)
	}
	v.want(204, "DELETE", "/content/restaurants/"+id+"?locale=*", "")
	if got := o.reviewRecords(); got != "admin.comments 0, admin.reviews 0, admin.waiting 0" {
		t.Errorf("when all is deleted there are %s", got)
	}
}

// A document can have only so many comments. Owners remove those of others, or whoever fills them up
// would keep everybody from commenting.
func TestOwnersRemoveCommentsOfOthers(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	_, ed := v.addAccount("ed", "editor")
	_, dev := v.addAccount("dev", "developer")
	id := v.make("restaurants?status=draft", `{"name":"Blue Door"}`)
	comment := firstID(ed.want(201, "POST", reviewOf(id)+"/comments", `{"text":"again and again"}`))
	if a := dev.want(200, "GET", reviewOf(id), ""); !strings.Contains(a.body, `"own":false`) {
		t.Errorf("others see %s", a.body)
	}
	dev.want(403, "DELETE", reviewOf(id)+"/comments/"+comment, "")
	if a := v.want(200, "GET", reviewOf(id), ""); !strings.Contains(a.body, `"own":true`) {
		t.Errorf("the owner sees %s", a.body)
	}
	v.want(204, "DELETE", reviewOf(id)+"/comments/"+comment, "")
	if a := ed.want(200, "GET", reviewOf(id), ""); !strings.Contains(a.body, `"comments":[]`) {
		t.Errorf("after it was removed: %s", a.body)
	}
}

// records counts what is stored about reviews.
func (o *testAdmin) reviewRecords() (text string) {
	o.t.Helper()
	check(o.t, o.db.View(func(tx *store.Tx) error {
		for _, bucket := range []string{"admin.comments", "admin.reviews", "admin.waiting"} {
			n, err := tx.CountRecords(bucket, "")
			check(o.t, err)
			text += fmt.Sprintf("%s %d, ", bucket, n)
		}
		return nil
	}))
	return strings.TrimSuffix(text, ", ")
}

// Whoever may not see an attribute, or a document, sees no comment on it, no mention and no mail.
func TestReviewsAndHiddenValues(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	_, ed := v.addAccount("ed", "editor")
	blind := v.reader("blind", restaurants, `"tagline"`)
	blindID := blind.want(200, "GET", "/session", "").text("data.account.id")
	out := v.reader("out", "api::dish.dish", "")
	outID := out.want(200, "GET", "/session", "").text("data.account.id")
	id := v.make("restaurants?status=draft", `{"name":"Blue Door","tagline":"SECRET"}`)
	thread := firstID(ed.want(201, "POST", reviewOf(id)+"/comments", `{"text":"HIDDEN words","field":"tagline"}`))
	ed.want(400, "POST", reviewOf(id)+"/comments", `{"text":"HIDDEN","field":"tagline","mentions":["`+blindID+`"]}`)
	ed.want(400, "POST", reviewOf(id)+"/comments", `{"text":"HIDDEN","mentions":["`+outID+`"]}`)
	ed.want(400, "PUT", reviewOf(id), `{"assignee":"`+outID+`"}`)
	for _, r := range []struct {
		who          *client
		status       int
		method, path string
		body         string
	}{
		{blind, 200, "GET", reviewOf(id), ""}, {out, 404, "GET", reviewOf(id), ""},
		{blind, 404, "GET", reviewOf(id) + "/people?field=tagline", ""}, {out, 404, "GET", reviewOf(id) + "/people", ""},
		{blind, 400, "POST", reviewOf(id) + "/comments", `{"text":"x","field":"tagline"}`}, {out, 404, "POST", reviewOf(id) + "/comments", `{"text":"x"}`},
		{blind, 404, "POST", reviewOf(id) + "/comments", `{"text":"x","thread":"` + thread + `"}`},
		{blind, 404, "PUT", reviewOf(id) + "/comments/" + thread, `{"resolved":true}`},
		{blind, 404, "DELETE", reviewOf(id) + "/comments/" + thread, ""},
		{out, 404, "GET", "/reviews/" + restaurants + "?documents=" + id, ""},
		{blind, 200, "GET", "/home", ""}, {out, 200, "GET", "/home", ""},
	} {
		a := r.who.want(r.status, r.method, r.path, r.body)
		if strings.Contains(a.body, "HIDDEN") || strings.Contains(a.body, `"tagline"`) || strings.Contains(a.body, thread) {
			t.Errorf("%s %s: %s", r.method, r.path, a.body)
		}
	}
	if people := ed.want(200, "GET", reviewOf(id)+"/people?field=tagline", "").body; strings.Contains(people, "blind") || strings.Contains(people, `"out"`) || !strings.Contains(people, `"Ana"`) {
		t.Errorf("who sees the tagline: %s", people)
	}
	v.want(200, "PUT", reviewOf(id), `{"assignee":"`+blindID+`"}`)
	ed.want(201, "POST", reviewOf(id)+"/comments", `{"text":"HIDDEN more","thread":"`+thread+`"}`)
	ed.want(201, "POST", reviewOf(id)+"/comments", `{"text":"for all"}`)
	if want := []string{"blind@example.org: Ana asks you to look at Blue Door", "blind@example.org: ed comments on Blue Door"}; !slices.Equal(o.postbox.sent, want) || strings.Contains(strings.Join(o.postbox.texts, ""), "HIDDEN") {
		t.Errorf("sent: %q %q", o.postbox.sent, o.postbox.texts)
	}
	if h := blind.want(200, "GET", "/home", ""); !strings.Contains(h.body, `"assigned":true,"mentioned":false`) {
		t.Errorf("the home page: %s", h.body)
	}
	if audit := v.want(200, "GET", "/audit", "").body; strings.Contains(audit, "HIDDEN") {
		t.Error("the audit log has what was said")
	}
	lost := v.want(201, "POST", "/roles", `{"name":"None","rights":{}}`).text("data.id")
	v.want(200, "PUT", "/accounts/"+blindID, `{"role":"`+lost+`"}`)
	if h := blind.want(200, "GET", "/home", ""); !strings.Contains(h.body, `"reviews":[]`) {
		t.Errorf("without rights: %s", h.body)
	}
}

// Those who have a document open hear of comments on fields that they see, and of nothing else.
func TestCommentsAreHeard(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	at, v := o.online(), o.owner()
	blind := v.reader("blind", restaurants, `"tagline"`)
	id := v.make("restaurants?status=draft", `{"name":"Blue Door"}`)
	query := "uid=" + restaurants + "&documentId=" + id
	ana := v.live(at, query)
	ana.people(1)
	ears := blind.live(at, query)
	ears.people(2)
	ana.people(2)
	v.want(201, "POST", reviewOf(id)+"/comments", `{"text":"x","field":"tagline"}`)
	if got := ana.next("review"); got != "{}" {
		t.Errorf("who sees it hears %s", got)
	}
	v.want(204, "PUT", "/live/"+ana.name, `{"editing":["name"]}`)
	if got := ears.people(2)[0]; got != "Ana  [name]" { // and nothing before it
		t.Errorf("who does not hears %s", got)
	}
	blind.want(201, "POST", reviewOf(id)+"/comments", `{"text":"y","field":"name"}`)
	ears.next("review")
}
