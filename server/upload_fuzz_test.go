package server_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzUpload: whatever the bytes of a form, the client can read the response, every
// file in the folder has a record, and a refused form leaves nothing.
func FuzzUpload(f *testing.F) {
	const file = "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"a.txt\"\r\n\r\ntext\r\n"
	const field = "--b\r\nContent-Disposition: form-data; name=\"fileInfo\"\r\n\r\n"
	f.Add("", file+"--b--")
	f.Add("?id=1", field+"{\"name\": \"x\"}\r\n"+file+"--b--")
	f.Add("?id=1", field+"[{\"caption\": null}]\r\n--b--")
	f.Add("", file+file+field+"[{}, {\"name\": \"../x\"}]\r\n--b--\r\nrest")
	f.Add("", "--b\r\nContent-Disposition: form-data; name=\"ref\"\r\n\r\napi::restaurant.restaurant\r\n"+file+"--b--")
	f.Add("", "--b\r\nContent-Disposition: form-data; name=\"files\"; filename*=UTF-8''%2e%2e%2fa.svg\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<svg>=\r\n--b--")
	f.Add("", file[:len(file)/2])
	folder := f.TempDir()
	site, tokens := openSiteIn(f, folder)
	send := func(method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+tokens["full"])
		r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		return w
	}
	f.Fuzz(func(t *testing.T, query, body string) {
		if query != "?id=1" {
			query = ""
		}
		if query != "" && send("GET", "/api/upload/files/1", "").Code == http.StatusNotFound {
			send("POST", "/api/upload", file+"--b--")
		}
		w := send("POST", "/api/upload"+query, body)
		switch w.Code {
		case http.StatusOK, http.StatusCreated, http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge:
		default:
			t.Errorf("%d %s", w.Code, w.Body)
		}
		list := &answer{body: send("GET", "/api/upload/files", "").Body.String()}
		files := list.records(t)
		names, err := os.ReadDir(filepath.Join(folder, "uploads"))
		check(t, err)
		stored := 0
		for _, one := range files {
			stored += 1 + len(one.Formats)
			if one.ID > 1 {
				send("DELETE", "/api/upload/files/"+one.DocumentID, "")
			}
		}
		if len(names) != stored {
			t.Errorf("the records of %d files have %d in the folder", stored, len(names))
		}
	})
}
