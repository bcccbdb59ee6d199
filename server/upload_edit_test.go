package server_test

import (
	"strings"
	"testing"

	"quire/schema/settings"
)

func TestEditedPictures(t *testing.T) {
	t.Parallel()
	c, address, id := newPictureClient(t, pictureRules(false), "plugin::upload.content-api.find", "plugin::quire.pictures.sign")
	path := "/api/upload/files/" + id + "/edit"
	original := c.send("", "GET", address, "")
	for as, want := range map[string]int{"": 403, "custom": 403} {
		for _, method := range []string{"PUT", "DELETE"} {
			if a := c.send(as, method, path, `{"rotate": 90}`); a.status != want {
				t.Errorf("%s as %q: %d %s", method, as, a.status, a.body)
			}
		}
	}
	a := c.send("full", "PUT", path, `{"rotate": 90, "crop": {"x": 0, "y": 0, "width": 400, "height": 100}}`)
	if a.status != 200 || !strings.Contains(a.body, `"url":"`+address+`"`) || !strings.Contains(a.body, `"width":400,"height":100`) {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for query, want := range map[string]string{"": "png 400×100", "?w=320": "png 320×80"} {
		if got := shape(t, c.send("", "GET", address+query, "")); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	list := c.send("full", "GET", "/api/upload/files/"+id, "")
	hash, _, _ := strings.Cut(list.body[strings.Index(list.body, `"original":{"hash":"`)+len(`"original":{"hash":"`):], `"`)
	for _, way := range []string{"/uploads/" + hash + ".png", "/uploads/thumbnail_" + hash + ".png"} {
		if a := c.send("full", "GET", way, ""); a.status == 200 && a.body == original.body {
			t.Errorf("%s leads to the original", way)
		}
	}
	if a := c.send("full", "DELETE", path, ""); a.status != 200 || strings.Contains(a.body, `"original"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if back := c.send("", "GET", address, ""); back.body != original.body {
		t.Errorf("the original is not back: %d", back.status)
	}
	if a := c.send("full", "DELETE", path, ""); a.status != 400 || a.Error.Message != "The file is as it was uploaded" {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	t.Parallel()
	c, _, id := newPictureClient(t, settings.Default().Upload)
	for body, want := range map[string]string{
		`{}`: "rotate", `{"rotate": 0}`: "rotate", `{"rotate": 45}`: "rotate", `{"rotate": "90"}`: "rotate", `{"rotate": 90.5}`: "rotate", `{"rotate": 1e30}`: "rotate", `{"turn": 90}`: "turn",
		`{"crop": {}}`: "crop", `{"crop": []}`: "crop", `{"crop": {"x": 0, "y": 0, "width": 601, "height": 1}}`: "crop", `{"crop": {"x": "0"}}`: "crop.x", `{"crop": {"left": 1}}`: "left", `{"crop": {"x": 9223372036854775807, "y": 0, "width": 1, "height": 1}}`: "crop",
		``: "", `[`: "", `5`: "", `{"rotate": 90} {}`: "", `null`: "rotate",
	} {
		a := c.send("full", "PUT", "/api/upload/files/"+id+"/edit", body)
		if a.status != 400 || want != "" && !strings.Contains(string(a.Error.Details), `"key":"`+want+`"`) {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	for _, method := range []string{"PUT", "DELETE"} {
		if a := c.send("full", method, "/api/upload/files/nothing/edit", `{"rotate": 90}`); a.status != 404 {
			t.Errorf("%s of no file: %d", method, a.status)
		}
	}
}
