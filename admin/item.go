package admin

import (
	"quire/documents"
	"quire/schema"
)

// item is a document in one locale, in a list of documents of several types.
type item struct {
	UID        string   `json:"uid"`
	DocumentID string   `json:"documentId"`
	Locale     *string  `json:"locale"`
	Title      string   `json:"title"`
	Status     string   `json:"status"`
	UpdatedAt  string   `json:"updatedAt"`
	UpdatedBy  *actorOf `json:"updatedBy,omitempty"`

	version uint64 // of the document
}

func itemOf(s *documents.Summary) *item {
	return &item{
		UID: s.Type.UID, DocumentID: s.DocumentID, Locale: documents.NullIfEmpty(s.Locale), Title: s.Title,
		Status: s.Status, UpdatedAt: timeText(s.Updated), version: s.Version,
	}
}

// item reads one document; nil if the account may not see it.
func (x *exchange) item(t *schema.Type, documentID, locale string) (*item, error) {
	call, err := x.call()
	if err != nil {
		return nil, err
	}
	s, err := call.Summary(x.request.Context(), t, documentID, locale)
	if s == nil || err != nil {
		return nil, err
	}
	return itemOf(s), nil
}
