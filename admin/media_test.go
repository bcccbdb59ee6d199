package admin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"strings"
	"sync"
	"testing"

	"quire/auth"
)

// upload puts a text into the library, and returns its documentId.
func (v *client) upload(name, info string) string {
	v.t.Helper()
	form, kind := v.fileForm(name, map[string]string{"fileInfo": info})
	a := v.want(201, "POST", "/content/upload", form, "Content-Type", kind)
	var files []struct{ DocumentID string }
	check(v.t, json.Unmarshal([]byte(a.body), &files))
	return files[0].DocumentID
}

// fileForm is a form with a file and fields, and its type.
func (v *client) fileForm(name string, fields map[string]string) (text, kind string) {
	v.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part, err := form.CreateFormFile("files", name)
	check(v.t, err)
	content := []byte("text of " + name)
	if strings.HasSuffix(name, ".png") {
		var picture bytes.Buffer
		check(v.t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))))
		content = picture.Bytes()
	}
	_, err = part.Write(content)
	check(v.t, err)
	for key, value := range fields {
		check(v.t, form.WriteField(key, value))
	}
	check(v.t, form.Close())
	return b.String(), form.FormDataContentType()
}

// folder makes a folder, and returns its documentId.
func (v *client) folder(name, parent string) string {
	v.t.Helper()
	return v.want(201, "POST", "/media/folders", fmt.Sprintf(`{"name":%q,"parent":%s}`, name, quotedOrNull(parent))).text("documentId")
}

func quotedOrNull(id string) string {
	if id == "" {
		return "null"
	}
	return `"` + id + `"`
}

// paths are the folders by their names, each with its path.
func (v *client) paths() string {
	v.t.Helper()
	var list []struct{ Name, Path string }
	check(v.t, json.Unmarshal([]byte(v.want(200, "GET", "/media/folders?sort=path", "").body), &list))
	var out []string
	for _, f := range list {
		out = append(out, f.Name+" "+f.Path)
	}
	return strings.Join(out, ", ")
}

// names are the files that a query finds.
func (v *client) names(query string) string {
	v.t.Helper()
	var page struct{ Data []struct{ Name string } }
	check(v.t, json.Unmarshal([]byte(v.want(200, "GET", "/media/files?sort=name&"+query, "").body), &page))
	var out []string
	for _, f := range page.Data {
		out = append(out, f.Name)
	}
	return strings.Join(out, " ")
}

func TestFolders(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	trips := v.folder("Trips", "")
	rome := v.folder("Rome", trips)
	v.folder("Food", rome)
	v.folder("Old", "")
	if got := v.paths(); got != "Trips /1, Rome /1/2, Food /1/2/3, Old /4" {
		t.Errorf("the folders are %s", got)
	}
	a := v.upload("a.txt", `{"folder":"`+rome+`"}`)
	v.upload("b.txt", `{"folder":2}`)
	v.upload("c.txt", `{}`)
	for query, want := range map[string]string{
		"filters[folder][documentId]=" + rome:                "a.txt b.txt",
		"filters[folder][path][$startsWith]=/1":              "a.txt b.txt",
		"filters[folder][id][$null]=true":                    "c.txt",
		"filters[folder][documentId]=" + trips:               "",
		"filters[alternativeText][$null]=true&filters[id]=1": "a.txt",
	} {
		if got := v.names(query); got != want {
			t.Errorf("%s finds %q, not %q", query, got, want)
		}
	}
	v.want(200, "PUT", "/media/folders/"+rome, `{"parent":4}`)
	v.want(200, "PUT", "/media/folders/"+trips, `{"name":"Journeys"}`)
	if got := v.paths(); got != "Journeys /1, Old /4, Rome /4/2, Food /4/2/3" {
		t.Errorf("after a move the folders are %s", got)
	}
	v.want(204, "POST", "/media/move", `{"files":["`+a+`",3],"folders":["`+rome+`"],"to":"`+trips+`"}`)
	if got, paths := v.names("filters[folder][documentId]="+trips), v.paths(); got != "a.txt c.txt" || paths != "Journeys /1, Rome /1/2, Food /1/2/3, Old /4" {
		t.Errorf("after moving many, %s are there, and the folders are %s", got, paths)
	}
	v.want(204, "POST", "/media/move", `{"files":["`+a+`"],"to":null}`)
	if got := v.names("filters[folder][id][$null]=true"); got != "a.txt" {
		t.Errorf("outside are %s", got)
	}
	if got := v.want(200, "GET", "/media/folders?populate[files][count]=true&filters[documentId]="+trips, "").body; !strings.Contains(got, `"files":{"count":1}`) {
		t.Errorf("the count of its files: %s", got)
	}
}

func TestFoldersRefuse(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	top := v.folder("Top", "")
	in := v.folder("In", top)
	deep := v.folder("Deep", in)
	other := v.folder("Other", "")
	v.folder("In", "")
	for _, test := range []struct{ method, path, body, message string }{
		{"POST", "/media/folders", `{"name":"Top"}`, "There is a folder"},
		{"POST", "/media/folders", `{"name":"In","parent":"` + top + `"}`, "There is a folder"},
		{"PUT", "/media/folders/" + in, `{"parent":null}`, "There is a folder"},
		{"PUT", "/media/folders/" + other, `{"name":"Top"}`, "There is a folder"},
		{"PUT", "/media/folders/" + top, `{"parent":"` + top + `"}`, "cannot stand in itself"},
		{"PUT", "/media/folders/" + top, `{"parent":"` + deep + `"}`, "cannot stand in itself"},
		{"POST", "/media/move", `{"folders":["` + top + `"],"to":"` + in + `"}`, "cannot stand in itself"},
		{"POST", "/media/folders", `{"name":""}`, "name"},
		{"POST", "/media/folders", `{"name":"Top"}`, `"message":"There is a folder \"Top\" here already; take another name"`},
		{"POST", "/media/folders", `{}`, "name"},
		{"POST", "/media/folders", `{"name":" a"}`, "without /"},
		{"POST", "/media/folders", `{"name":"a/b"}`, "without /"},
		{"POST", "/media/folders", `{"name":"` + strings.Repeat("x", 101) + `"}`, "100"},
		{"POST", "/media/folders", `{"name":5}`, "name"},
		{"POST", "/media/folders", `{"name":"a","path":"/9"}`, "path"},
		{"POST", "/media/folders", `{"name":"a","parent":{"connect":[1]}}`, "parent"},
		{"POST", "/media/folders", `{"name":"a","parent":99}`, "do not exist"},
		{"POST", "/media/folders", `[]`, "object"},
		{"POST", "/media/move", `{"files":[],"to":null}`, "Name 1 to 1000"},
		{"POST", "/media/move", `{"files":[9],"to":null}`, "There is no file 9"},
		{"POST", "/media/move", `{"folders":["` + top + `"]}`, "to must be"},
		{"POST", "/media/move", `{"files":[` + strings.Repeat("1,", 1000) + `1],"to":null}`, "Name 1 to 1000"},
		{"POST", "/media/delete", `{"folders":["` + top + `"]}`, "holds other folders"},
		{"POST", "/media/describe", `{"list":[]}`, "Name 1 to 1000"},
		{"POST", "/media/describe", `{"list":[{"files":[1],"info":{"hash":"x"}}]}`, "There is no file"},
	} {
		a := v.want(400, test.method, test.path, test.body)
		if !strings.Contains(a.body, test.message) {
			t.Errorf("%s %s %.200s: %s", test.method, test.path, test.body, a.body)
		}
	}
	v.want(404, "PUT", "/media/folders/nothing", `{"name":"a"}`)
	v.want(413, "POST", "/media/move", `{"files":[`+strings.Repeat("1,", 20_001)+`1],"to":null}`)
	if got := v.paths(); got != "Top /1, In /1/2, Deep /1/2/3, Other /4, In /5" {
		t.Errorf("the folders are %s", got)
	}
}

// What is wrong with a change of files and folders is named by its key, and nothing else is.
func TestMediaFaultsNameTheirKeys(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	for body, key := range map[string]string{
		`POST /media/folders {"name":"a/b"}`:                      `"errors":[{"path":["name"],`,
		`POST /media/folders {"name":"a","parent":{}}`:            `"errors":[{"path":["parent"],`,
		`POST /media/move {"files":[9],"to":null}`:                `"errors":[{"path":["files"],`,
		`POST /media/move {"folders":[null],"to":null}`:           `"errors":[{"path":["folders"],`,
		`POST /media/move {"to":null}`:                            `"errors":[{"path":["files"],`,
		`POST /media/move {"files":5,"to":null}`:                  `"key":"files"`,
		`POST /media/delete {"folders":{}}`:                       `"key":"folders"`,
		`POST /media/describe {"list":[]}`:                        `"errors":[{"path":["list"],`,
		`POST /media/describe {"list":[{"files":["x"]}]}`:         `"errors":[{"path":["files"],`,
		`POST /media/describe {"list":[{"files":true}]}`:          `"key":"list.files"`,
		`POST /media/delete {"files":[],"withContent":"a","x":1}`: `"key":"withContent"`,
	} {
		part := strings.SplitN(body, " ", 3)
		if a := v.want(400, part[0], part[1], part[2]); !strings.Contains(a.body, key) || strings.Count(a.body, `"path":`) != 1 {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	for _, query := range []string{"links=", "links=some", "links[]=none"} {
		if a := v.want(400, "GET", "/media/files?"+query, ""); a.text("error.details.key") != "links" {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	id := v.folder("a", "")
	if a := v.want(400, "POST", "/media/move", `{"folders":["`+id+`"]}`); !strings.Contains(a.body, `"errors":[{"path":["to"],`) {
		t.Errorf("without to: %s", a.body)
	}
}

// Folders are no deeper than they may be, whichever of them moves.
func TestFolderDepth(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	at := ""
	for i := range 20 {
		at = v.folder(fmt.Sprint(i), at)
	}
	v.want(400, "POST", "/media/folders", `{"name":"x","parent":"`+at+`"}`)
	a := v.folder("a", "")
	v.folder("b", a)
	v.want(400, "PUT", "/media/folders/"+a, `{"parent":19}`)
	v.want(200, "PUT", "/media/folders/"+a, `{"parent":18}`)
}

// Of two who take one name, or move folders into each other, at the same time, one gets it.
func TestFolderRaces(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	a, b := v.folder("a", ""), v.folder("b", "")
	var all sync.WaitGroup
	statuses := make([]int, 4)
	for i, r := range []struct{ method, path, body string }{
		{"POST", "/media/folders", `{"name":"same"}`}, {"POST", "/media/folders", `{"name":"same"}`},
		{"PUT", "/media/folders/" + a, `{"parent":"` + b + `"}`}, {"PUT", "/media/folders/" + b, `{"parent":"` + a + `"}`},
	} {
		all.Go(func() { statuses[i] = v.ask(r.method, r.path, r.body).status })
	}
	all.Wait()
	if statuses[0]+statuses[1] != 201+400 || statuses[2]+statuses[3] != 200+400 {
		t.Errorf("the answers are %v", statuses)
	}
}

// What is deleted goes whole or not at all; what folders hold goes with them only when the
// request says so.
func TestDeleteFolders(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	top := v.folder("Top", "")
	in := v.folder("In", top)
	file := v.upload("a.txt", `{"folder":"`+in+`"}`)
	v.want(400, "POST", "/media/delete", `{"folders":["`+in+`"]}`)
	v.want(400, "POST", "/media/delete", `{"files":["`+file+`"],"folders":["`+top+`"]}`)
	if v.names("") != "a.txt" || v.paths() != "Top /1, In /1/2" {
		t.Errorf("a refused deletion left %s and %s", v.names(""), v.paths())
	}
	url := v.want(200, "GET", "/content/upload/files/1", "").text("url")
	v.want(204, "POST", "/media/delete", `{"folders":["`+in+`","`+top+`"],"withContent":true}`)
	if v.names("") != "" || v.paths() != "" {
		t.Errorf("left are %s and %s", v.names(""), v.paths())
	}
	v.want(404, "GET", "/"+url, "")
}

// What is said about many files is written at once, or not.
func TestDescribeMany(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	a, b := v.upload("a.txt", `{}`), v.upload("b.txt", `{"alternativeText":"old"}`)
	v.want(204, "POST", "/media/describe", `{"list":[{"files":["`+a+`","`+b+`"],"info":{"caption":"both"}},{"files":["`+b+`"],"info":{"alternativeText":"new"}}]}`)
	if got := v.names("filters[caption]=both"); got != "a.txt b.txt" {
		t.Errorf("described are %s", got)
	}
	v.want(400, "POST", "/media/describe", `{"list":[{"files":["`+a+`"],"info":{"caption":"x"}},{"files":["`+b+`"],"info":{"alternativeText":7}}]}`)
	if got := v.names("filters[caption]=x") + v.names("filters[alternativeText]=new"); got != "b.txt" {
		t.Errorf("a refused change left %s", got)
	}
}

// Files to which nothing links, as far as the account sees, drafts included.
func TestUnusedFiles(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	ids := map[string]string{}
	for _, name := range []string{"cover.png", "draft.png", "secret.png", "none.png"} {
		ids[name] = v.upload(name, `{}`)
	}
	v.make("restaurants", `{"name":"Blue Door","cover":"`+ids["cover.png"]+`"}`)
	v.make("restaurants?status=draft", `{"name":"Red Door","gallery":["`+ids["draft.png"]+`"]}`)
	v.make("chefs", `{"name":"Ada","portrait":"`+ids["secret.png"]+`"}`)
	if got := v.names("links=none"); got != "none.png" {
		t.Errorf("an owner sees no link to %s", got)
	}
	role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{"api::restaurant.restaurant":{"actions":["read"],"hidden":["cover"]}},"files":["read"]}}`).text("data.id")
	_, them := v.addAccount("them", role)
	if got := them.names("links=none"); got != "cover.png none.png secret.png" {
		t.Errorf("who sees less sees no link to %s", got)
	}
	first := v.want(200, "GET", "/media/files?links=none", "").header.Get("ETag")
	v.make("restaurants", `{"name":"Green Door","cover":"`+ids["none.png"]+`"}`)
	v.want(200, "GET", "/media/files?links=none", "", "If-None-Match", first)
}

// Each change needs its right, and folders are there for accounts of the admin alone.
func TestWhoMayUseFolders(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	id := v.folder("Top", "")
	file := v.upload("a.txt", `{"folder":"`+id+`"}`)
	requests := []struct{ right, method, path, body string }{
		{"read", "GET", "/folders", ""}, {"read", "GET", "/files", ""}, {"read", "GET", "/files/" + file + "/links", ""},
		{"upload", "POST", "/folders", `{"name":"%"}`}, {"upload", "PUT", "/folders/" + id, `{}`},
		{"upload", "POST", "/move", `{"files":["` + file + `"],"to":1}`}, {"upload", "POST", "/describe", `{"list":[{"files":["` + file + `"],"info":{}}]}`},
		{"delete", "POST", "/delete", `{"folders":["` + id + `"]}`},
		{"upload", "POST", "/uploads", `{"name":"a","size":4}`}, {"upload", "GET", "/uploads/x", ""}, {"upload", "PUT", "/uploads/x?offset=0", "text"}, {"upload", "DELETE", "/uploads/x", ""},
	}
	for i, right := range []string{"", "read", "upload", "delete"} {
		rights := `[` + quoted(right) + `]`
		role := v.want(201, "POST", "/roles", fmt.Sprintf(`{"name":"R%d","rights":{"types":{"*":{"actions":["read"]}},"files":%s}}`, i, rights)).text("data.id")
		_, them := v.addAccount(fmt.Sprintf("them%d", i), role)
		for _, r := range requests {
			a := them.ask(r.method, "/media"+r.path, strings.ReplaceAll(r.body, "%", fmt.Sprint("new", i)))
			if may := right == r.right; may == (a.status == 403) {
				t.Errorf("with %q %s %s is %d %s", right, r.method, r.path, a.status, a.body)
			}
		}
	}
	for _, r := range requests {
		o.client().want(401, r.method, "/media"+r.path, r.body)
		if r.method != "GET" {
			v.want(403, r.method, "/media"+r.path, r.body, "X-Quire-Admin", "-")
			v.want(403, r.method, "/media"+r.path, r.body, "Sec-Fetch-Site", "cross-site")
		}
	}
	token, err := o.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "full", Kind: auth.FullAccess})
	check(t, err)
	for _, path := range []string{"GET /folders", "POST /folders", "PUT /folders/1", "POST /_move", "POST /_describe", "POST /_delete", "POST /_parts", "GET /_parts/x", "PUT /_parts/x", "DELETE /_parts/x"} {
		method, path, _ := strings.Cut(path, " ")
		for _, credential := range []string{"-", "Bearer " + token} {
			if a := o.client().ask(method, "//api/upload"+path, `{}`, "Authorization", credential); a.status != 404 {
				t.Errorf("%s %s outside of the admin: %d %s", method, path, a.status, a.body)
			}
		}
	}
	bearer := []string{"Authorization", "Bearer " + token}
	for _, query := range []string{"", "?populate=*", "?populate=folder", "?filters[folder][name]=Top", "?sort=folder.name", "?fields=folder", "?links=none"} {
		if a := o.client().ask("GET", "//api/upload/files"+query, "", bearer...); a.status == 200 && (strings.Contains(a.body, "Top") || strings.Contains(a.body, `"folder`)) || a.status != 200 && a.status != 400 {
			t.Errorf("a token sees with %s %s", query, a.body)
		}
	}
	if a := o.client().ask("GET", "//api/_changes", "", bearer...); strings.Contains(a.body, "Top") || strings.Contains(a.body, "upload.folder") {
		t.Errorf("a copy has folders: %s", a.body)
	}
	o.client().want(403, "GET", "//api/_changes?types=plugin::upload.folder", "", bearer...)
	if a := o.client().want(200, "GET", "//api/openapi.json", "", bearer...); strings.Contains(a.body, "older") && strings.Contains(a.body, "upload.folder") {
		t.Error("the public description has folders")
	}
}

// An upload that comes in pieces is checked as one in a form, and is its account's alone.
func TestUploadsInPieces(t *testing.T) {
	t.Parallel()
	o := openAdmin(t, `"auth": {`, `"upload": { "deny": ["image/svg+xml"], "sizeLimit": 100 }, "auth": {`)
	v := o.owner()
	_, bob := v.addAccount("bob", "editor")
	folder := v.folder("Top", "")
	id := v.want(201, "POST", "/media/uploads", `{"name":"a.txt","size":9,"info":{"folder":"`+folder+`"}}`).text("id")
	at := "/media/uploads/" + id
	stream := []string{"Content-Type", "application/octet-stream"}
	if a := v.want(200, "PUT", at+"?offset=0", "text", stream...); a.text("offset") != "4" || a.text("file") != "null" {
		t.Errorf("after a piece: %s", a.body)
	}
	for _, r := range []struct{ method, query string }{{"GET", ""}, {"PUT", "?offset=4"}, {"DELETE", ""}} {
		bob.want(404, r.method, at+r.query, "", stream...)
	}
	if a := v.want(409, "PUT", at+"?offset=2", "text", stream...); a.text("error.details.offset") != "4" {
		t.Errorf("a piece from elsewhere: %s", a.body)
	}
	for _, query := range []string{"", "?offset=", "?offset=x", "?offset=-1", "?offset=1e3", "?offset=99999999999999999999"} {
		v.want(400, "PUT", at+query, "text", stream...)
	}
	a := v.want(200, "PUT", at+"?offset=4", " more", stream...)
	if a.text("file.name") != "a.txt" || a.text("file.mime") != "text/plain" || v.want(200, "GET", at, "").text("file.name") != "a.txt" {
		t.Errorf("the file is %s", a.body)
	}
	if got := v.names("filters[folder][documentId]=" + folder); got != "a.txt" {
		t.Errorf("in the folder is %q", got)
	}
	if a := v.want(200, "GET", "/"+a.text("file.url"), ""); a.body != "text more" {
		t.Errorf("it is served as %q", a.body)
	}
	svg := `<svg xmlns="http://www.w3.org/2000/svg"></svg>`
	id = v.want(201, "POST", "/media/uploads", fmt.Sprintf(`{"name":"a.png","size":%d}`, len(svg))).text("id")
	v.want(400, "PUT", "/media/uploads/"+id+"?offset=0", svg, stream...)
	v.want(404, "GET", "/media/uploads/"+id, "")
	v.want(413, "POST", "/media/uploads", `{"name":"a","size":101}`)
	for body, key := range map[string]string{
		`{"name":"a","size":0}`: "size", `{"name":"","size":1}`: "name", `{"name":"a","size":"1"}`: "size", `{"name":"a","size":1,"path":"/x"}`: "path",
		`{"name":"a","size":1,"info":{"hash":"x"}}`: "hash", `{"name":"a","size":1,"info":[]}`: "info", `{"name":"a","size":1,"info":7}`: "info",
	} {
		if a := v.want(400, "POST", "/media/uploads", body); a.text("error.details.key") != key {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	id = v.want(201, "POST", "/media/uploads", `{"name":"a","size":5}`).text("id")
	v.want(204, "DELETE", "/media/uploads/"+id, "")
	v.want(404, "GET", "/media/uploads/"+id, "")
	for range 20 {
		v.want(201, "POST", "/media/uploads", `{"name":"a","size":5}`)
	}
	v.want(507, "POST", "/media/uploads", `{"name":"a","size":5}`)
	bob.want(201, "POST", "/media/uploads", `{"name":"a","size":5}`)
}
