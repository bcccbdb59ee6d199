package server_test

import (
	"fmt"
	"strings"
	"testing"

	"quire/auth"
)

// Who may write documents but not find files cannot get the address of a private file by linking
// to it, in whatever place and form: the response is that about a file that does not exist.
func TestLinkingToPrivateFiles(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	s.tokens["cook"] = s.customToken(t, "cook", "api::dish.dish.find", "api::dish.dish.create", "api::dish.dish.update", "api::homepage.homepage.find", "api::homepage.homepage.update", "plugin::upload.content-api.upload")
	s.receive(t, "author", auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: {Actions: everyAction}}})
	own := s.ok(201, "cook", "POST", "/api/dishes", `{"data": {"name": "own"}}`).text(t, "data.documentId")
	number, name := fmt.Sprint(s.text.ID), s.text.DocumentID
	for _, as := range []string{"cook", "author"} {
		for _, link := range []string{`ID`, `"ID"`, `{"id": ID}`, `{"documentId": "ID"}`, `[ID]`, `{"set": [ID]}`, `{"connect": ["ID"]}`, `{"connect": [{"documentId": "ID", "position": {"end": true}}]}`} {
			for id, none := range map[string]string{number: "999999", name: "abcdefghijklmnopqrstuvwx"} {
				if id == name && strings.Contains(strings.ReplaceAll(link, `"ID"`, ""), "ID") {
					continue // it is no number
				}
				for _, write := range []struct{ method, path, data string }{
					{"PUT", "/api/dishes/" + own + "?populate=photo", `{"photo": LINK}`},
					{"PUT", "/api/dishes/" + own + "?populate=photo&status=draft", `{"photo": LINK}`},
					{"POST", "/api/dishes?populate=photo", `{"name": "new", "photo": LINK}`},
					{"PUT", "/api/homepage?populate[sections][populate]=*", `{"title": "t", "sections": [{"__component": "section.cta", "label": "l", "image": LINK}]}`},
				} {
					body := `{"data": ` + strings.ReplaceAll(write.data, "LINK", link) + `}`
					a := s.send(as, write.method, write.path, strings.ReplaceAll(body, "ID", id))
					other := s.send(as, write.method, write.path, strings.ReplaceAll(body, "ID", none))
					if a.status < 400 || a.status != other.status || strings.ReplaceAll(a.body, id, none) != other.body {
						t.Fatalf("%s: %s %s %s: %d %s\nwithout such a file: %d %s", as, write.method, write.path, body, a.status, a.body, other.status, other.body)
					}
				}
			}
		}
	}
	form, kind := form(t, part{"files", "own.txt", "text of the cook"}, part{"fileInfo", "", fmt.Sprintf(`{"folder": %q}`, s.folder)})
	up := s.ok(201, "cook", "POST", "/api/upload", form, "Content-Type", kind)
	if len(s.signed(up)) != 1 {
		t.Errorf("whoever uploads a file sees it: %s", up.body)
	}
	s.signed(s.ok(200, "cook", "PUT", "/api/dishes/"+own+"?populate=photo", fmt.Sprintf(`{"data": {"photo": %d}}`, up.records(t)[0].ID)))
	s.ok(400, "author", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "new", "photo": %d}}`, up.records(t)[0].ID))
	for _, as := range []string{"cook", "author"} { // the document uses the file already
		a := s.ok(200, as, "PUT", "/api/dishes/"+s.shown+"?populate=photo", fmt.Sprintf(`{"data": {"photo": %d, "price": 3}}`, s.picture.ID))
		if len(s.signed(a)) != 3 {
			t.Errorf("%s: %s", as, a.body)
		}
	}
	s.ok(200, "full", "PUT", "/api/homepage", fmt.Sprintf(`{"data": {"title": "t", "sections": [{"__component": "section.cta", "label": "l", "image": %d}]}}`, s.text.ID))
	s.ok(200, "cook", "PUT", "/api/homepage", fmt.Sprintf(`{"data": {"title": "t", "sections": [{"__component": "section.cta", "label": "new", "image": %d}]}}`, s.text.ID))
	s.ok(200, "ada", "PUT", "/api/dishes/"+own, fmt.Sprintf(`{"data": {"photo": %d}}`, s.picture.ID))
	s.move("")
	s.ok(200, "cook", "PUT", "/api/dishes/"+own, fmt.Sprintf(`{"data": {"photo": %d}}`, s.text.ID))
}

// That a document uses a private file somewhere does not let those link to it who do not see it there:
// in a hidden attribute, in a draft, in a former version.
func TestPrivateFilesInWhatIsHidden(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	s.receive(t, "author", auth.AdminRole{Types: map[string]auth.TypeRights{auth.EveryType: {Actions: everyAction}, "api::restaurant.restaurant": {Actions: everyAction, Hidden: []string{"gallery", "seo.share_image"}}}})
	s.tokens["cook"] = s.customToken(t, "cook", "api::dish.dish.find", "api::dish.dish.update")
	picture, text := fmt.Sprint(s.picture.ID), fmt.Sprint(s.text.ID)

	hidden := "/api/restaurants/" + s.ok(201, "full", "POST", "/api/restaurants", `{"data": {"name": "hidden", "gallery": [`+picture+`]}}`).text(t, "data.documentId")
	s.ok(400, "author", "PUT", hidden, `{"data": {"cover": `+picture+`}}`)
	s.ok(200, "full", "PUT", hidden, `{"data": {"cover": `+picture+`}}`)
	s.ok(200, "author", "PUT", hidden, `{"data": {"cover": `+picture+`}}`)

	s.ok(200, "full", "PUT", "/api/dishes/"+s.shown+"?status=draft", `{"data": {"photo": `+text+`}}`)
	s.ok(400, "cook", "PUT", "/api/dishes/"+s.shown, `{"data": {"photo": `+text+`}}`)
	s.ok(200, "author", "PUT", "/api/dishes/"+s.shown+"?status=draft", `{"data": {"photo": `+text+`}}`)

	former := "/api/dishes/" + s.ok(201, "full", "POST", "/api/dishes?status=draft", `{"data": {"name": "former", "photo": `+text+`}}`).text(t, "data.documentId")
	s.ok(200, "full", "PUT", former+"?status=draft", `{"data": {"photo": null}}`)
	version := s.ok(200, "author", "GET", former+"/history", "").text(t, "data.1.revision")
	s.ok(200, "author", "POST", former+"/history/"+version+"/restore", "")
	if a := s.ok(200, "author", "GET", former+"?status=draft&populate=photo", ""); len(s.signed(a)) != 0 {
		t.Errorf("a restored version shows a file that nobody may link to: %s", a.body)
	}
	s.ok(200, "ada", "POST", former+"/history/"+version+"/restore", "")
	if a := s.ok(200, "author", "GET", former+"?status=draft&populate=photo", ""); len(s.signed(a)) != 1 {
		t.Errorf("who may find files restores the links to them: %s", a.body)
	}
}

// Who may upload but not find files cannot change a private file, which would show it or move it
// to where everybody can open it.
func TestUploadersDoNotChangePrivateFiles(t *testing.T) {
	t.Parallel()
	s := openPrivate(t)
	s.tokens["upload"] = s.customToken(t, "upload", "plugin::upload.content-api.upload")
	for id, status := range map[string]int{fmt.Sprint(s.picture.ID): 404, s.text.DocumentID: 404, "999999": 404} {
		for _, parts := range [][]part{{}, {{"fileInfo", "", `{"folder": null}`}}, {{"fileInfo", "", `{}`}}, {{"files", "other.png", s.bytes}}} {
			body, kind := form(t, parts...)
			if a := s.ok(status, "upload", "POST", "/api/upload?id="+id, body, "Content-Type", kind); !strings.Contains(a.body, "file.notFound") {
				t.Error(a.body)
			}
		}
		s.ok(status, "upload", "PUT", "/api/upload/files/"+id+"/edit", `{"rotate": 90}`)
		s.ok(status, "upload", "DELETE", "/api/upload/files/"+id+"/edit", "")
	}
	for _, info := range []string{`{}`, `{"caption": "c"}`, `{"name": "n"}`} {
		body := fmt.Sprintf(`{"query": "mutation($info: FileInfoInput!) { updateUploadFile(id: \"%s\", info: $info) { documentId name url } }", "variables": {"info": %s}}`, s.text.DocumentID, info)
		a := s.ok(200, "upload", "POST", "/graphql", body)
		other := s.ok(200, "upload", "POST", "/graphql", strings.ReplaceAll(body, s.text.DocumentID, "abcdefghijklmnopqrstuvwx"))
		if len(s.signed(a)) != 0 || a.body != other.body {
			t.Errorf("with %s: %s\nwithout such a file: %s", info, a.body, other.body)
		}
	}
	s.receive(t, "uploader", auth.AdminRole{Files: []string{"upload"}})
	s.ok(403, "uploader", "PUT", "/api/upload/folders/"+s.folder, `{"private": false}`)
	s.ok(403, "uploader", "POST", "/api/upload/_move", fmt.Sprintf(`{"files": [%d], "to": null}`, s.text.ID))
	s.ok(403, "uploader", "POST", "/api/upload/_describe", fmt.Sprintf(`{"list": [{"files": [%d], "info": {"folder": null}}]}`, s.text.ID))
	a := s.ok(200, "full", "GET", "/graphql?query={dishes{photo{url}}}", "")
	if len(s.signed(a)) != 1 {
		t.Error(a.body)
	}
	body, kind := form(t, part{"fileInfo", "", `{"caption": "c"}`})
	if a := s.ok(200, "ada", "POST", "/api/upload?id="+fmt.Sprint(s.text.ID), body, "Content-Type", kind); len(s.signed(a)) != 1 {
		t.Error(a.body)
	}
	s.move("")
	s.ok(200, "upload", "POST", "/api/upload?id="+fmt.Sprint(s.text.ID), body, "Content-Type", kind)
}
