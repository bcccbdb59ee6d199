package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// part is a field of a form, or a file if it has a file name.
type part struct{ field, filename, content string }

// form returns a multipart body and its Content-Type.
func form(t *testing.T, parts ...part) (body, kind string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		var err error
		var out io.Writer
		if p.filename == "" {
			out, err = w.CreateFormField(p.field)
		} else {
			out, err = w.CreateFormFile(p.field, p.filename)
		}
		check(t, err)
		_, err = io.WriteString(out, p.content)
		check(t, err)
	}
	check(t, w.Close())
	return b.String(), w.FormDataContentType()
}

// file returns a file of testdata/media as a part of a form.
func file(t *testing.T, name string) part {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../testdata/media", name))
	check(t, err)
	return part{"files", name, string(content)}
}

func (c *client) upload(path string, parts ...part) *answer {
	c.t.Helper()
	body, kind := form(c.t, parts...)
	return c.send("full", "POST", path, body, "Content-Type", kind)
}

// record is the part of a file's record that the tests read.
type record struct {
	ID              int
	DocumentID      string
	Name            string
	AlternativeText *string
	Caption         *string
	Mime, URL, Ext  string
	Size            float64
	Width           *int
	Formats         map[string]struct{ URL string }
}

// records reads the files of a response: one or a list.
func (a *answer) records(t *testing.T) []record {
	t.Helper()
	var list []record
	if json.Unmarshal([]byte(a.body), &list) == nil {
		return list
	}
	var one record
	if err := json.Unmarshal([]byte(a.body), &one); err != nil || one.ID == 0 {
		t.Fatalf("no file in %d %s", a.status, a.body)
	}
	return []record{one}
}

func (c *client) uploaded(parts ...part) []record {
	c.t.Helper()
	a := c.upload("/api/upload", parts...)
	if a.status != http.StatusCreated {
		c.t.Fatalf("%d %s", a.status, a.body)
	}
	return a.records(c.t)
}

func TestUploadSeveralFiles(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	one := func(name string) part { return part{"files", name, "text of " + name} }
	info := part{"fileInfo", "", `[{"name": "First", "caption": "c"}, {}, {"name": null, "alternativeText": "third"}]`}
	for name, parts := range map[string][]part{
		"info first": {info, one("a.txt"), one("b.txt"), one("c.txt")},
		"info last":  {one("a.txt"), one("b.txt"), one("c.txt"), info},
		"one by one": {one("a.txt"), {"fileInfo", "", `{"name": "First", "caption": "c"}`}, one("b.txt"), {"fileInfo", "", `{}`}, one("c.txt"), {"fileInfo", "", `{"alternativeText": "third"}`}},
	} {
		files := c.uploaded(parts...)
		if len(files) != 3 || files[0].Name != "First" || *files[0].Caption != "c" || files[1].Name != "b.txt" || files[1].Caption != nil ||
			files[2].Name != "c.txt" || *files[2].AlternativeText != "third" || files[0].Size != 0.01 {
			t.Errorf("%s: %+v", name, files)
		}
	}
	files := c.uploaded(one("a.txt"), one("b.txt"), part{"fileInfo", "", `{"name": "Only the first"}`})
	if files[0].Name != "Only the first" || files[1].Name != "b.txt" {
		t.Errorf("%+v", files)
	}
}

func TestUploadRefuses(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	text := part{"files", "a.txt", "text"}
	for name, test := range map[string]struct {
		parts   []part
		status  int
		message string
	}{
		"no file":               {[]part{{"fileInfo", "", `{}`}}, 400, "Files are empty"},
		"an empty file":         {[]part{{"files", "a.txt", ""}}, 400, "Files are empty"},
		"a file in other field": {[]part{{"file", "a.txt", "text"}}, 400, "Files are empty"},
		"a text named files":    {[]part{{"files", "", "text"}}, 400, "Files are empty"},
		"no JSON":               {[]part{text, {"fileInfo", "", `{`}}, 400, "fileInfo must be an object, or a list of objects, in JSON"},
		"an unknown key":        {[]part{text, {"fileInfo", "", `{"hash": "x"}`}}, 400, "Invalid key hash at fileInfo"},
		"a name of no text":     {[]part{text, {"fileInfo", "", `{"name": 5}`}}, 400, "name must be a `string` type, but the final value was: `5`."},
		"more info than files":  {[]part{text, {"fileInfo", "", `[{}, {}]`}}, 400, "fileInfo describes 2 files, and there are 1"},
		"a long name":           {[]part{{"files", strings.Repeat("x", 300) + ".txt", "text"}}, 400, "name must be at most 255 characters"},
		"an unknown type":       {[]part{text, {"ref", "", "api::nothing.nothing"}, {"refId", "", "1"}, {"field", "", "cover"}}, 400, `ref must be the uid of a content type, not "api::nothing.nothing"`},
		"a component":           {[]part{text, {"ref", "", "shared.seo"}, {"refId", "", "1"}, {"field", "", "share_image"}}, 400, `ref must be the uid of a content type, not "shared.seo"`},
		"a field of text":       {[]part{text, {"ref", "", "api::restaurant.restaurant"}, {"refId", "", "1"}, {"field", "", "name"}}, 400, `field must be a media attribute of api::restaurant.restaurant, not "name"`},
		"nobody":                {[]part{text, {"ref", "", "api::restaurant.restaurant"}, {"refId", "", "99"}, {"field", "", "cover"}}, 400, `refId must be the id or documentId of an entry of api::restaurant.restaurant, not "99"`},
		"only half a link":      {[]part{text, {"refId", "", "99"}}, 400, `ref must be the uid of a content type, not ""`},
		"too much text":         {[]part{text, {"fileInfo", "", strings.Repeat(" ", 1<<20+1)}}, 413, "The fields of the form are too large"},
	} {
		a := c.upload("/api/upload", test.parts...)
		if a.status != test.status || a.Error.Message != test.message {
			t.Errorf("%s: %d %s", name, a.status, a.Error.Message)
		}
	}
	for name, body := range map[string]string{
		"no end":          "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\ntext",
		"nothing":         "",
		"no part":         "text",
		"a broken header": "--b\r\nContent-Disposition\r\n\r\ntext\r\n--b--",
	} {
		if a := c.send("full", "POST", "/api/upload", body, "Content-Type", "multipart/form-data; boundary=b"); a.status != 400 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	for _, kind := range []string{"application/json", "multipart/form-data", "text/plain", ""} {
		if a := c.send("full", "POST", "/api/upload", `{"files": []}`, "Content-Type", kind); a.status != 400 || a.Error.Message != "Files are empty" {
			t.Errorf("%q: %d %s", kind, a.status, a.body)
		}
	}
	if a := c.send("full", "GET", "/api/upload/files", ""); a.body != "[]" {
		t.Errorf("what was refused left %s", a.body)
	}
}

func TestChangeFile(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	before := c.uploaded(file(t, "wide.jpg"), part{"fileInfo", "", `{"name": "Wide", "alternativeText": "alt"}`})[0]
	path := fmt.Sprintf("/api/upload?id=%d", before.ID)

	a := c.upload(path, part{"fileInfo", "", `{"alternativeText": null, "caption": "new"}`})
	after := a.records(t)[0]
	if a.status != 200 || after.Name != "Wide" || after.AlternativeText != nil || *after.Caption != "new" || after.URL != before.URL {
		t.Errorf("%d %+v", a.status, after)
	}

	a = c.upload("/api/upload?id="+before.DocumentID, file(t, "dot.png"))
	after = a.records(t)[0]
	if a.status != 200 || after.ID != before.ID || after.Mime != "image/png" || *after.Width != 60 || after.Formats != nil || after.URL != before.URL || after.Name != "dot.png" {
		t.Errorf("%d %+v", a.status, after)
	}
	got := c.send("", "GET", before.URL, "")
	if got.body != file(t, "dot.png").content || got.header.Get("Content-Type") != "image/png" {
		t.Errorf("the url answers %d %s, %d bytes", got.status, got.header.Get("Content-Type"), len(got.body))
	}
	for name, format := range before.Formats {
		if a := c.send("", "GET", format.URL, ""); a.status != 404 {
			t.Errorf("the former %s is still there", name)
		}
	}

	for path, test := range map[string]struct {
		parts   []part
		status  int
		message string
	}{
		path:                     {[]part{{"files", "a", "a"}, {"files", "b", "b"}}, 400, "Cannot replace a file with multiple ones"},
		"/api/upload?id=99":      {[]part{{"files", "a", "a"}}, 404, "file.notFound"},
		"/api/upload?id=":        {[]part{{"files", "a", "a"}}, 404, "file.notFound"},
		"/api/upload?id[a]=1":    {[]part{{"files", "a", "a"}}, 404, "file.notFound"},
		"/api/upload?id=nothing": {nil, 404, "file.notFound"},
	} {
		if a := c.upload(path, test.parts...); a.status != test.status || a.Error.Message != test.message {
			t.Errorf("%s: %d %s", path, a.status, a.Error.Message)
		}
	}
}

// A file that is uploaded for an entry is appended to a list, or replaces a single
// file. Nothing is published by that.
func TestUploadForAnEntry(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	made := c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Published"}}`)
	document := made.documentID(t)
	var entry struct{ Data struct{ ID int } }
	check(t, json.Unmarshal([]byte(made.body), &entry))
	check200(t, c.send("full", "PUT", "/api/restaurants/"+document+"?status=draft", `{"data": {"name": "Draft"}}`))

	link := func(id any, field string, file part) {
		t.Helper()
		a := c.upload("/api/upload", file, part{"ref", "", "api::restaurant.restaurant"}, part{"refId", "", fmt.Sprint(id)}, part{"field", "", field})
		if a.status != 201 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	link(entry.Data.ID, "cover", file(t, "wide.jpg"))
	link(document, "cover", file(t, "dot.png"))
	link(entry.Data.ID, "gallery", file(t, "dot.png"))
	link(document, "gallery", file(t, "menu.txt"))

	for _, status := range []string{"published", "draft"} {
		want := `"name":"` + strings.ToUpper(status[:1]) + status[1:] + `","cover":{"name":"dot.png"},"gallery":[{"name":"dot.png"},{"name":"menu.txt"}]`
		a := c.send("full", "GET", "/api/restaurants/"+document+"?fields=name&populate[cover][fields]=name&populate[gallery][fields]=name&status="+status, "")
		if got := withoutIDs(t, a.body); got != want {
			t.Errorf("%s: %s", status, got)
		}
	}
	modified := c.send("full", "GET", "/api/restaurants?status=draft&publicationFilter=modified", "")
	if !strings.Contains(modified.body, document) {
		t.Error("the draft no longer counts as modified")
	}

	a := c.upload("/api/upload", file(t, "menu.txt"), part{"ref", "", "api::restaurant.restaurant"}, part{"refId", "", document}, part{"field", "", "cover"})
	if a.status != 400 || !strings.Contains(a.Error.Message, "takes images only") {
		t.Errorf("a text for a picture: %d %s", a.status, a.body)
	}
	if files := c.send("full", "GET", "/api/upload/files", "").records(t); len(files) != 4 {
		t.Errorf("%d files are left", len(files))
	}
}

func check200(t *testing.T, a *answer) {
	t.Helper()
	if a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
}

// withoutIDs returns the members of the entry in a response, without id and documentId.
func withoutIDs(t *testing.T, body string) string {
	t.Helper()
	var whole struct {
		Data struct {
			Name    string            `json:"name"`
			Cover   map[string]any    `json:"cover"`
			Gallery []map[string]any  `json:"gallery"`
			Meta    map[string]string `json:"-"`
		}
	}
	check(t, json.Unmarshal([]byte(body), &whole))
	for _, m := range append(whole.Data.Gallery, whole.Data.Cover) {
		delete(m, "id")
		delete(m, "documentId")
	}
	text, err := json.Marshal(whole.Data)
	check(t, err)
	return strings.Trim(string(text), "{}")
}

// Files of kinds that an attribute does not accept are refused wherever a body names
// them.
func TestAllowedKindsOfFiles(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	files := c.uploaded(file(t, "dot.png"), file(t, "menu.txt"))
	picture, text := files[0], files[1]
	for _, test := range []struct {
		body   string
		status int
		path   string
	}{
		{`{"cover": %d}`, 400, `["cover"]`},
		{`{"cover": {"id": %d}}`, 400, `["cover"]`},
		{`{"cover": {"connect": [%d]}}`, 400, `["cover"]`},
		{`{"cover": {"set": [{"id": %d}]}}`, 400, `["cover"]`},
		{`{"gallery": [%d]}`, 201, ``},
		{`{"seo": {"meta_title": "t", "share_image": %d}}`, 400, `["seo","share_image"]`},
		{`{"sections": [{"__component": "section.cta", "label": "l", "image": %d}]}`, 201, ``}, // accepts all kinds
	} {
		data := fmt.Sprintf(test.body, text.ID)
		a := c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Ro", `+data[1:]+`}`)
		if a.status != test.status || !strings.Contains(a.body, test.path) {
			t.Errorf("%s: %d %s", data, a.status, a.body)
		}
		if data = fmt.Sprintf(strings.Replace(test.body, "%d", "%q", 1), picture.DocumentID); strings.Contains(data, `"id"`) {
			data = strings.Replace(data, `"id"`, `"documentId"`, 1)
		}
		if a := c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Ro", `+data[1:]+`}`); a.status != 201 {
			t.Errorf("%s: %d %s", data, a.status, a.body)
		}
	}
}

// A deleted file is gone from every entry, in every kind of read.
func TestDeletedFileIsGoneFromEntries(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	files := c.uploaded(file(t, "dot.png"), file(t, "wide.jpg"))
	body := fmt.Sprintf(`{"data": {"name": "Ro", "cover": %d, "gallery": [%d, %d], "seo": {"meta_title": "t", "share_image": %d}}}`,
		files[0].ID, files[0].ID, files[1].ID, files[0].ID)
	document := c.send("full", "POST", "/api/restaurants", body).documentID(t)
	check200(t, c.send("full", "DELETE", fmt.Sprintf("/api/upload/files/%d", files[0].ID), ""))
	for _, status := range []string{"draft", "published"} {
		for query, want := range map[string]string{
			"populate=cover":                                "\"cover\":null",
			"populate[gallery][fields]=name":                `"name":"wide.jpg"}]`,
			"populate[gallery][count]=true":                 `"gallery":{"count":1}`,
			"populate[seo][populate]=share_image":           `"share_image":null`,
			"filters[cover][$null]=true":                    document,
			"filters[cover][id][$null]=true":                document,
			"filters[cover][$notNull]=true":                 `"total":0`,
			"filters[cover][name]=dot.png":                  `"total":0`,
			"filters[gallery][name]=dot.png":                `"total":0`,
			"filters[gallery][name]=wide.jpg":               document,
			"filters[seo][share_image][name][$contains]=do": `"total":0`,
		} {
			if a := c.send("full", "GET", "/api/restaurants?status="+status+"&"+query, ""); !strings.Contains(a.body, want) {
				t.Errorf("%s, %s: %s", status, query, a.body)
			}
		}
	}
	check200(t, c.send("full", "PUT", "/api/restaurants/"+document, `{"data": {"name": "still writable"}}`))
}

func TestFindFiles(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for n := range 120 {
		c.uploaded(part{"files", fmt.Sprintf("%03d.txt", n), "text"})
	}
	for query, want := range map[string][2]int{ // the number of files, and the number of the first
		"":                  {120, 0},
		"?start=10":         {110, 10},
		"?start=10&limit=5": {5, 10},
		"?limit=-1":         {120, 0},
		"?limit=110":        {110, 0},
		"?pagination[start]=3&pagination[limit]=2":    {2, 3},
		"?pagination[page]=3&pagination[pageSize]=10": {10, 20},
		"?sort=name:desc&limit=1":                     {1, 119},
		"?filters[name][$gt]=100.txt":                 {19, 101},
		"?_q=UPLOADS/011_":                            {1, 11},
	} {
		files := c.send("readonly", "GET", "/api/upload/files"+query, "").records(t)
		if len(files) != want[0] || files[0].Name != fmt.Sprintf("%03d.txt", want[1]) {
			t.Errorf("%s: %d files, the first %s", query, len(files), files[0].Name)
		}
	}
	a := c.send("readonly", "GET", "/api/upload/files/page?pagination[pageSize]=7&pagination[page]=2&fields=name", "")
	if a.status != 200 || !strings.Contains(a.body, `"meta":{"pagination":{"page":2,"pageSize":7,"pageCount":18,"total":120}}`) || strings.Count(a.body, `,"isUrlSigned":false}`) != 7 {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, query := range []string{"?start=x", "?start=-1", "?limit=x", "?limit=-2", "?limit=1.5", "?filters[folderPath]=/", "?fields=folderPath", "?sort=secret"} {
		if a := c.send("full", "GET", "/api/upload/files"+query, ""); a.status != 400 {
			t.Errorf("%s: %d %.100s", query, a.status, a.body)
		}
	}
	for _, path := range []string{"/api/upload/files", "/api/upload/files/page", "/api/upload/files/1"} {
		if a := c.send("", "GET", path, ""); a.status != 403 {
			t.Errorf("%s for everybody: %d", path, a.status)
		}
	}
}
