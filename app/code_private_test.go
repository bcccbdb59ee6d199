//go:build !nocode

package app

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"quire/auth"
	"quire/content"
	"quire/schema"
)

// A controller writes with the rights of the site's owner. Its caller still links to no private file
// that it does not see.
func TestControllersLinkToNoPrivateFiles(t *testing.T) {
	t.Parallel()
	p := newPhotoProject(t, map[string]string{
		"src/api/photo/routes/photo.js": `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::photo.photo', { config: { create: { policies: [() => true] }, update: { policies: [() => true] } } });`,
	})
	cook, err := p.app.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "cook", Kind: auth.Custom, Permissions: []string{"api::photo.photo.find", "api::photo.photo.create", "api::photo.photo.update"}})
	check(t, err)
	_, uploaded := p.upload("plan.txt", "private")
	var files []struct {
		ID         int
		DocumentID string
	}
	check(t, json.Unmarshal([]byte(uploaded), &files))
	photo := fmt.Sprintf(`{"data": {"title": "t", "image": %d}}`, files[0].ID)
	photoOf := func(token string) string {
		status, body := p.send(token, "POST", "/api/photos?populate=image", photo)
		if status != 201 {
			t.Fatal(status, body)
		}
		return body
	}
	id := documentIDOf(t, photoOf(cook)) // while the file is public

	save := func(uid, documentID, data string) string {
		r := content.Request{Type: p.app.site.Type(uid), DocumentID: documentID, Status: 0}
		r.Input, err = p.app.writer.Owned(r.Type, json.RawMessage(data))
		check(t, err)
		write := p.app.writer.Create
		if documentID != "" {
			write = p.app.writer.Update
		}
		result, err := write(t.Context(), r)
		check(t, err)
		return result.DocumentID
	}
	folder := save(schema.FolderUID, "", `{"name": "Internal", "private": true}`)
	save(schema.FileUID, files[0].DocumentID, `{"folder": "`+folder+`"}`)
	for _, as := range []string{"", cook} {
		if status, body := p.send(as, "POST", "/api/photos?populate=image", photo); status < 400 || strings.Contains(body, "access=") {
			t.Errorf("%d %s", status, body)
		}
	}
	other := documentIDOf(t, func() string {
		_, body := p.send(cook, "POST", "/api/photos", `{"data": {"title": "other"}}`)
		return body
	}())
	if status, body := p.send(cook, "PUT", "/api/photos/"+other+"?populate=image", photo); status < 400 || strings.Contains(body, "access=") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := p.send(cook, "PUT", "/api/photos/"+id+"?populate=image", photo); status != 200 || !strings.Contains(body, "access=") {
		t.Errorf("what the document shows already: %d %s", status, body)
	}
	photoOf(p.token)
}

// documentIDOf returns the documentId of a response.
func documentIDOf(t *testing.T, body string) string {
	t.Helper()
	var answer struct{ Data struct{ DocumentID string } }
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Data.DocumentID == "" {
		t.Fatal(body)
	}
	return answer.Data.DocumentID
}
