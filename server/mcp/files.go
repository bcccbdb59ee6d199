package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"quire/schema"
)

// The media library, through the routes of REST with their permissions and limits.

var filesTool = newTool("files", "The media library. A media attribute takes the id of a file.", adds, files)

type filesArguments struct {
	Action          string          `json:"action" need:"" values:"find look upload describe" about:"look shows a small version of a picture"`
	Filters         json.RawMessage `json:"filters" as:"object" about:"find: as in find"`
	Search          string          `json:"search"`
	Page            int             `json:"page"`
	ID              int             `json:"id" about:"look"`
	Name            string          `json:"name" about:"upload: photo.jpg"`
	Data            string          `json:"data" about:"upload: base64, up to 4 MB"`
	AlternativeText *string         `json:"alternativeText"`
	Caption         *string         `json:"caption"`
	Files           []fileChange    `json:"files" about:"describe: up to 100"`
}

// fileChange is what an agent writes about a file.
type fileChange struct {
	ID int `json:"id" need:""`
	fileTexts
}

// fileTexts is the form of the routes.
type fileTexts struct {
	AlternativeText *string `json:"alternativeText,omitempty"`
	Caption         *string `json:"caption,omitempty"`
	Name            *string `json:"name,omitempty"`
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
	page := memberOf(found, "meta", "pagination")
	s := showing("page %s of %s, %s files; sizes in KB", memberOf(page, "page"), memberOf(page, "pageCount"), memberOf(page, "total"))
	var rows []row
	shown := r.form(textInList)
	for _, file := range memberOf(found, "data").Elements() {
		one := rowOf(file)
		for key, value := range one {
			one[key] = shown.show(nil, value)
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
	s.text = r.form(textInList).show(r.server.site.Type(schema.FileUID), found)
	name, _, _ := strings.Cut(path.Base(textAt(found, "url")), "?") // without its signature
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
	info, err := json.Marshal(fileTexts{AlternativeText: a.AlternativeText, Caption: a.Caption})
	if err != nil {
		return nil, err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("files", a.Name)
	if err == nil {
		_, err = part.Write(data)
	}
	if err := errors.Join(err, w.WriteField("fileInfo", string(info)), w.Close()); err != nil {
		return nil, err
	}
	if err := r.join(); err != nil {
		return nil, err
	}
	made, err := r.Host.Ask(http.MethodPost, "/api/upload", nil, w.FormDataContentType(), form.Bytes())
	if err != nil {
		return nil, err
	}
	r.used++
	s := showing("Uploaded.")
	s.text = append(s.text, r.form(textInList).show(r.server.site.Type(schema.FileUID), made)...)
	return s, nil
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
