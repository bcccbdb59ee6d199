package admin

import (
	"net/http"

	"quire/documents"
	"quire/schema"
)

// Recently deleted documents, as far as the log of changes has them and the history has
// their versions.

func deletedRoutes() []Route {
	return []Route{{Method: http.MethodGet, Path: "/deleted/:uid", handler: showDeleted, summary: "Which documents of a type were deleted of late, the last first", out: []*deletedItem{}}}
}

// deletedItem is a deleted document.
type deletedItem struct {
	DocumentID string   `json:"documentId"`
	Locale     *string  `json:"locale"` // of the title
	Title      string   `json:"title"`
	At         string   `json:"at"`
	By         *actorOf `json:"by"`
	Revision   uint64   `json:"revision"` // of the delete
}

func showDeleted(x *request) error {
	t, err := x.readableType(x.params.ByName("uid"))
	if err != nil {
		return err
	}
	items := []*deletedItem{}
	if t.Kind == schema.Single {
		return x.data(items) // it has one document at a time, and its history is at its path
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	deleted, err := call.Deleted(x.http.Context(), t)
	if err != nil {
		return err
	}
	for _, d := range deleted {
		items = append(items, &deletedItem{
			DocumentID: d.DocumentID, Locale: documents.NullIfEmpty(d.Locale), Title: d.Title, At: timeText(d.At),
			By: (*actorOf)(call.Author(d.By)), Revision: d.Revision,
		})
	}
	return x.data(items)
}
