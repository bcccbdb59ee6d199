package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"quire/content/body"
	"quire/schema"
)

// The media library, through the routes of REST with their permissions and limits.

type filesArguments struct {
	Action          string          `json:"action"`
	Filters         json.RawMessage `json:"filters"`
	Search          string          `json:"search"`
	Page            int             `json:"page"`
	ID              int             `json:"id"`
	Name            string          `json:"name"`
	Data            string          `json:"data"`
	AlternativeText *string         `json:"alternativeText"`
	Caption         *string         `json:"caption"`
	Files           []fileChange    `json:"files"`
}

// fileChange is what an agent writes about a file.
type fileChange struct {
	ID int `json:"id"`
	fileTexts
}

// fileTexts is the form of the routes.
type fileTexts struct {
	Name            *string `json:"name,omitempty"`
	AlternativeText *string `json:"alternativeText,omitempty"`
	Caption         *string `json:"caption,omitempty"`
}

// Limits of one call.
const (
	mostUpload    = 4 << 20  // bytes of a file
	mostPicture   = 64 << 10 // bytes of a picture that is looked at
	mostDescribed = 100
)

// sides are the sizes in which a picture is tried, in pixels.
var sides = []int{512, 320, 160}

func files(r *Request, a *filesArguments) (*toolResult, error) {
	switch a.Action {
	case "find":
		return r.findFiles(a)
	case "look":
		return r.look(a.ID)
	case "upload":
		return r.upload(a)
	case "describe":
		return r.describeFiles(a)
	}
	return nil, refuse("files has no action %.50q; it has find, look, upload and describe", a.Action)
}

var fileColumns = []string{"id", "name", "mime", "size", "width", "height", "alternativeText", "caption"}

func (r *Request) findFiles(a *filesArguments) (*toolResult, error) {
	q := readParams{"filters": a.Filters}
	q.text("_q", a.Search)
	q.page(a.Page, 0)
	tree, err := q.parse(r)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(tree.WithText("sort", "id:desc").Encode())
	if err != nil {
		return nil, refuse("the filters cannot be read")
	}
	found, err := r.Host.Ask(http.MethodGet, "/api/upload/files/page", values, "", nil)
	if err != nil {
		return nil, err
	}
	page := memberOf(memberOf(body.JSON(found), "meta"), "pagination")
	s := showing("page %s of %s, %s files; sizes in KB", memberOf(page, "page"), memberOf(page, "pageCount"), memberOf(page, "total"))
	var rows []row
	shown := &entryForm{site: r.server.site, text: textInList}
	for _, file := range memberOf(body.JSON(found), "data").Elements() {
		one := rowOf(file)
		for key, value := range one {
			one[key] = shown.append(nil, nil, value)
		}
		rows = append(rows, one)
	}
	r.used += len(rows)
	s.table(fileColumns, rows)
	return s, nil
}

// look shows a small version of a picture.
func (r *Request) look(id int) (*toolResult, error) {
	found, err := r.Host.Ask(http.MethodGet, fmt.Sprintf("/api/upload/files/%d", id), nil, "", nil)
	if err != nil {
		return nil, err
	}
	r.used++
	s := showing("")
	s.text = (&entryForm{site: r.server.site, text: textInList}).append(nil, r.server.site.Type(schema.FileUID), body.JSON(found))
	var file struct{ URL string }
	if err := json.Unmarshal(found, &file); err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(file.URL[strings.LastIndexByte(file.URL, '/')+1:], "?") // without its signature
	for _, side := range sides {
		kind, data, err := r.Host.Picture(r.ctx, name, side)
		if err != nil {
			return nil, err
		}
		if len(data) <= mostPicture {
			s.image = &sdk.ImageContent{MIMEType: kind, Data: data}
			return s, nil
		}
	}
	return nil, refuse("the picture has no version of up to %d bytes", mostPicture)
}

// upload stores a new file.
func (r *Request) upload(a *filesArguments) (*toolResult, error) {
	if a.Name == "" || a.Data == "" {
		return nil, refuse("upload needs name and data")
	}
	if base64.StdEncoding.DecodedLen(len(a.Data)) > mostUpload+2 {
		return nil, refuse("data has more than %d MB", mostUpload>>20)
	}
	data, err := base64.StdEncoding.DecodeString(a.Data)
	if err != nil {
		return nil, refuse("data is not base64")
	}
	kind, form, err := formOf(fileTexts{nil, a.AlternativeText, a.Caption}, a.Name, data)
	if err != nil {
		return nil, err
	}
	if err := r.join(); err != nil {
		return nil, err
	}
	made, err := r.Host.Ask(http.MethodPost, "/api/upload", nil, kind, form)
	if err != nil {
		return nil, err
	}
	r.used++
	s := showing("Uploaded.")
	s.text = (&entryForm{site: r.server.site, text: textInList}).append(s.text, r.server.site.Type(schema.FileUID), body.JSON(made))
	return s, nil
}

// formOf is the form of the route for files. Without data it describes a file.
func formOf(info fileTexts, name string, data []byte) (kind string, form []byte, err error) {
	text, err := json.Marshal(info)
	if err != nil {
		return "", nil, err
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("fileInfo", string(text)); err != nil {
		return "", nil, err
	}
	if data != nil {
		part, err := w.CreateFormFile("files", name)
		if err == nil {
			_, err = part.Write(data)
		}
		if err != nil {
			return "", nil, err
		}
	}
	if err := w.Close(); err != nil {
		return "", nil, err
	}
	return w.FormDataContentType(), b.Bytes(), nil
}

// describeFiles sets texts of files, one after the other.
func (r *Request) describeFiles(a *filesArguments) (*toolResult, error) {
	if len(a.Files) == 0 || len(a.Files) > mostDescribed {
		return nil, refuse("describe needs 1 to %d files", mostDescribed)
	}
	if err := r.join(); err != nil {
		return nil, err
	}
	list := make([]map[string]any, len(a.Files))
	for i, file := range a.Files {
		list[i] = map[string]any{"files": []string{strconv.Itoa(file.ID)}, "info": file.fileTexts}
	}
	text, err := json.Marshal(map[string]any{"list": list})
	if err != nil {
		return nil, err
	}
	if _, err := r.Host.Ask(http.MethodPost, "/api/upload/_describe", nil, "application/json", text); err != nil {
		return nil, err
	}
	r.used += len(list)
	return say("Described %d files, in one transaction.", len(list)), nil
}
