package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"quire/app/templates"
	"quire/content"
	"quire/content/body"
	"quire/media"
	"quire/schema"
	"quire/store"
)

// seed is one line of templates/guide.jsonl: a document, or another locale of one. In its
// data, "@name" stands for the document of the line with that name.
type seed struct {
	As     string          `json:"as"` // the name of the document in later lines
	Of     string          `json:"of"` // the document to which this line adds a locale
	Type   string          `json:"type"`
	Locale string          `json:"locale"`
	Status string          `json:"status"` // "draft", or empty for published
	Data   json.RawMessage `json:"data"`

	Picture *picture `json:"picture"` // a file to draw, instead of a document
}

// owner is a caller who may write everything.
type owner struct{ schema.Unlimited }

func (owner) Allows(*schema.Type, schema.Action) bool { return true }

// sow writes the content of the starter site.
func (a *App) sow(ctx context.Context) error {
	text, err := templates.Files.ReadFile("guide.jsonl")
	if err != nil {
		return err
	}
	names := map[string]string{} // documentIds
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		if err := a.sowLine(ctx, lines.Bytes(), names); err != nil {
			return fmt.Errorf("starter content, line %d: %w", n, err)
		}
	}
	return lines.Err()
}

func (a *App) sowLine(ctx context.Context, line []byte, names map[string]string) error {
	var s seed
	if err := json.Unmarshal(line, &s); err != nil {
		return err
	}
	if s.Picture != nil {
		var err error
		names[s.As], err = s.Picture.upload(ctx, media.New(a.files, a.site, a.index, a.writer))
		return err
	}
	request, err := a.request(s, names)
	if err != nil {
		return err
	}
	write := a.writer.Create
	if s.Of != "" || request.Type.Kind == schema.Single {
		write = a.writer.Update
	}
	result, err := write(ctx, request)
	if s.As != "" {
		names[s.As] = result.DocumentID
	}
	return err
}

func (a *App) request(s seed, names map[string]string) (content.Request, error) {
	r := content.Request{Type: a.site.Type(s.Type), DocumentID: names[s.Of], Locale: s.Locale, Status: store.Published}
	if r.Type == nil {
		return r, fmt.Errorf("there is no type %s", s.Type)
	}
	if s.Status == "draft" {
		r.Status = store.Draft
	}
	data := s.Data
	for name, id := range names {
		data = bytes.ReplaceAll(data, []byte(`"@`+name+`"`), []byte(`"`+id+`"`))
	}
	var err error
	r.Input, err = body.Decode(a.site, r.Type, data, owner{})
	return r, err
}
