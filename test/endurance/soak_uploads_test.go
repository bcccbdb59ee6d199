package endurance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"quire/test/ledger"
)

// uploadMuch sends files, reads them back, links them and takes them away.
func uploadMuch(c *soakClient) (again, leave func()) {
	return func() {
		content := ledger.RandomFile(c.random)
		bodyType, body := ledger.Form(content, []byte("{}"))
		a, ok := c.send(soakRequest{kind: "upload", method: "POST", path: "/api/upload", body: string(body), bodyType: bodyType, right: []int{http.StatusCreated}})
		if !ok {
			return
		}
		var files []struct {
			ID  int
			URL string
		}
		if err := json.Unmarshal(a.text, &files); err != nil || len(files) != 1 {
			c.wrong("upload", "%.200s", a.text)
			return
		}
		a, ok = c.send(soakRequest{kind: "upload: read", path: files[0].URL, public: true})
		if ok && !bytes.Equal(a.text, content) {
			c.wrong("upload: read", "%s is not what was sent: %d bytes", files[0].URL, len(a.text))
		}
		c.send(soakRequest{kind: "upload: list", path: "/api/upload/files?limit=10&sort=createdAt:desc"})
		c.send(soakRequest{kind: "upload: delete", method: "DELETE", path: fmt.Sprintf("/api/upload/files/%d", files[0].ID)})
		c.send(soakRequest{kind: "upload: read", path: files[0].URL, public: true, right: []int{http.StatusNotFound}})
	}, func() {}
}

// abortUploads begins to send a file, and hangs up in the middle of it.
func abortUploads(c *soakClient) (again, leave func()) {
	return func() {
		c.misbehave("abuse: upload aborted", func() error {
			conn, err := c.dial()
			if err != nil {
				return err
			}
			defer conn.Close()
			bodyType, body := ledger.Form(ledger.RandomFile(c.random), []byte("{}"))
			fmt.Fprintf(conn, "POST /api/upload HTTP/1.1\r\nHost: soak\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", c.token, bodyType, len(body))
			_, err = conn.Write(body[:c.random.IntN(len(body))])
			if c.random.IntN(2) == 0 {
				conn.SetLinger(0) // hangs up without a word
			}
			return err
		})
	}, func() {}
}
