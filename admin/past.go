package admin

import (
	"strconv"

	"quire/documents"
)

// The whole site at a moment: what was changed since, or until another moment, by whom and when.

// pastOf is what was changed in a period.
type pastOf struct {
	Since     string            `json:"since"` // what was asked for, or the beginning of the log of changes
	Types     []changedType     `json:"types"`
	Documents []changedDocument `json:"documents"` // a page, by type
	Page      int               `json:"page"`      // from 1
	PageCount int               `json:"pageCount"`
}

type changedType struct {
	Type  string `json:"type"` // uid
	Count int    `json:"count"`
}

// changedDocument is a document that was changed.
type changedDocument struct {
	Type       string    `json:"type"` // uid
	DocumentID string    `json:"documentId"`
	Locale     *string   `json:"locale"` // of the title
	Title      string    `json:"title"`
	Exists     bool      `json:"exists"`  // now
	Actions    []string  `json:"actions"` // create, update, publish, unpublish or delete; the first one first
	By         []actorOf `json:"by"`      // the last one first; at most 5
	At         string    `json:"at"`      // of the last change in the period
}

// mostPages bounds the number of a page: no list has more documents than events are read.
const mostPages = 1000

func showPast(x *request) error {
	form, err := x.readPeriod()
	if err != nil {
		return err
	}
	form.By = documents.Everybody
	if key, why := form.wrong(); key != "" {
		return queryProblem(key, why)
	}
	page := 1
	if text := x.http.URL.Query().Get("page"); text != "" {
		if page, err = strconv.Atoi(text); err != nil || page < 1 || page > mostPages {
			return queryProblem("page", "page is a number from 1 to "+strconv.Itoa(mostPages))
		}
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	found, err := call.LookBack(x.http.Context(), documents.Period(form), page)
	if err != nil {
		return err
	}
	shown := pastOf{Since: documents.Moment(found.Since).String(), Types: []changedType{}, Documents: []changedDocument{}, Page: page}
	total := 0
	for _, t := range found.Types {
		shown.Types = append(shown.Types, changedType{t.Type.UID, t.Count})
		total += t.Count
	}
	shown.PageCount = (total + documents.ChangedAtOnce - 1) / documents.ChangedAtOnce
	for _, d := range found.Documents {
		one := changedDocument{
			Type: d.Type.UID, DocumentID: d.DocumentID, Locale: documents.NullIfEmpty(d.Locale), Title: d.Title, Exists: d.Exists,
			Actions: []string{}, By: []actorOf{}, At: documents.Moment(d.At).String(),
		}
		for _, a := range d.Actions {
			one.Actions = append(one.Actions, a.String())
		}
		for _, a := range d.By {
			if author := call.Author(a); author != nil {
				one.By = append(one.By, actorOf(*author))
			}
		}
		shown.Documents = append(shown.Documents, one)
	}
	return x.data(shown)
}
