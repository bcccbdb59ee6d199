package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"quire/content"
	"quire/content/body"
	"quire/documents"
)

// This file reads the body of a batch, and the references of requests to the documents of
// earlier requests.

// batchItems is the maximum number of elements and members in the body of a batch. Each
// takes much more memory than its text.
const batchItems = 100_000

// batchRequest is one request in the body.
type batchRequest struct {
	method, url string
	match       string    // If-Match
	body        body.JSON // an object; nil for none
}

// badMember refuses a member of the body.
func badMember(key, format string, args ...any) error {
	return &problem{http.StatusBadRequest, "ValidationError", key + " " + fmt.Sprintf(format, args...), documents.BodyKey{Key: key, Source: "body"}}
}

// readBatch reads the body.
func readBatch(x *request) ([]batchRequest, error) {
	text, err := readBatchText(x)
	if err != nil {
		return nil, err
	}
	if !json.Valid(text) {
		_, err := dataOf(text) // the error says where
		return nil, err
	}
	top := body.JSON(bytes.TrimSpace(text))
	if !top.IsObject() {
		return nil, badMember("requests", "is missing: the body of a batch is an object")
	}
	var list body.JSON
	for _, m := range top.Members() {
		if m.Key != "requests" {
			return nil, badMember(fmt.Sprintf("%.100q", m.Key), "is no member of a batch, which has \"requests\" alone")
		}
		list = m.Value
	}
	return readRequests(x, list)
}

// readBatchText reads the bytes of the body, and reserves memory for its decoded form.
func readBatchText(x *request) ([]byte, error) {
	kind, text, err := openBody(x, x.site.schema.Settings.Limits.BatchBytes)
	if err != nil {
		return nil, err
	}
	if kind != jsonBody {
		return nil, invalid("A batch is sent as JSON, with the Content-Type application/json")
	}
	reserved := body.MostItems(x.site.schema)
	items, most := countItems(text), max(reserved, batchItems)
	if items > most {
		return nil, &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError",
			fmt.Sprintf("The batch has more than %d elements and members; send it in several", most), none{}}
	}
	return text, x.share.ReserveBody(int64(max(0, items-reserved)) * itemBytes)
}

func readRequests(x *request, list body.JSON) (requests []batchRequest, err error) {
	most := x.site.schema.Settings.Limits.BatchRequests
	if list == nil || !list.IsList() {
		return nil, badMember("requests", "must be a list of requests")
	}
	for i, element := range list.Elements() {
		if i == most {
			return nil, badMember("requests", "has more than %d requests, which is the most that a batch takes", most)
		}
		r, err := readRequest(element, fmt.Sprintf("requests[%d]", i))
		if err != nil {
			return nil, &requestError{i, err}
		}
		requests = append(requests, r)
	}
	if len(requests) == 0 {
		return nil, badMember("requests", "is empty")
	}
	return requests, nil
}

func readRequest(element body.JSON, at string) (r batchRequest, err error) {
	if !element.IsObject() {
		return r, badMember(at, "must be an object with \"method\", \"url\" and, where it has one, \"body\"")
	}
	for _, m := range element.Members() {
		if err := r.set(m.Key, m.Value, at+"."+m.Key); err != nil {
			return r, err
		}
	}
	switch r.method {
	case http.MethodPost, http.MethodPut, http.MethodDelete:
	case "":
		return r, badMember(at+".method", "is missing")
	default:
		return r, badMember(at+".method", "must be POST, PUT or DELETE: a batch reads nothing")
	}
	return r, checkTarget(r.url, at+".url")
}

// set sets a member of a request.
func (r *batchRequest) set(key string, value body.JSON, at string) (err error) {
	switch key {
	case "method":
		r.method, err = textOf(value, at)
	case "url":
		r.url, err = textOf(value, at)
	case "ifMatch":
		if number, wrong := strconv.ParseUint(string(value), 10, 64); wrong == nil {
			r.match = strconv.FormatUint(number, 10)
		} else if r.match, err = textOf(value, at); err == nil && r.match == "" {
			err = badMember(at, "is empty")
		}
	case "body":
		if r.body = value; value.IsNull() {
			r.body = nil
		} else if !value.IsObject() {
			err = badMember(at, "must be an object, the body that the request has alone")
		}
	default:
		err = badMember(fmt.Sprintf("%.200s", at), "is not known; a request has \"method\", \"url\", \"body\" and \"ifMatch\"")
	}
	return err
}

func textOf(value body.JSON, at string) (text string, err error) {
	if json.Unmarshal(value, &text) != nil || value.IsNull() {
		return "", badMember(at, "must be a text")
	}
	return text, nil
}

// checkTarget refuses a text that cannot be the path and query of a write.
func checkTarget(target, at string) error {
	switch {
	case target == "":
		return badMember(at, "is missing")
	case !strings.HasPrefix(target, "/api/"):
		return badMember(at, "must begin with /api/: it is a path, with its query, and names no host")
	case strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' }):
		return badMember(at, "holds a character that must be percent-encoded")
	}
	return nil
}

// parseTarget parses a URL that checkTarget has accepted.
func parseTarget(target string) (*url.URL, error) {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return nil, invalid("The URL has an escape that is none")
	}
	u.Path = trimSlashes(u.Path)
	return u, nil
}

// resolve makes a request from one of the batch. It replaces references with the documents
// of earlier requests.
func (b *batch) resolve(i int) (*http.Request, []byte, error) {
	r := &b.requests[i]
	at := fmt.Sprintf("requests[%d]", i)
	target, err := b.fill([]byte(r.url), at+".url", inURL)
	if err != nil {
		return nil, nil, err
	}
	if most := b.site.schema.Settings.Limits.URLBytes; len(target) > most {
		return nil, nil, uriTooLong(most)
	}
	text, err := b.fill(r.body, at+".body", inJSON)
	if err != nil {
		return nil, nil, err
	}
	request, err := b.asPart(b.http.Context(), r, string(target))
	return request, text, err
}

// reference is how a text names the document of an earlier request: {{0.documentId}}.
const (
	referenceOpens  = "{{"
	referenceCloses = "}}"
	referenceTo     = "documentId"

	longestReference = 64 // a longer text is not a reference
)

// fill replaces the references in a text with documentIds. If there are none, it returns
// the text itself.
func (b *batch) fill(text []byte, at string, escape func(string) string) (filled []byte, err error) {
	done := 0 // of the text
	for next := 0; ; {
		found := bytes.Index(text[next:], []byte(referenceOpens))
		if found < 0 {
			break
		}
		begin := next + found
		name, length := referenceName(text[begin+len(referenceOpens):])
		if length == 0 {
			next = begin + 1
			continue
		}
		documentID, err := b.referredTo(name, at)
		if err != nil {
			return nil, err
		}
		value := escape(documentID)
		next = begin + len(referenceOpens) + length
		if err := b.grow(len(value) - (next - begin)); err != nil {
			return nil, err
		}
		filled = append(append(filled, text[done:begin]...), value...)
		done = next
	}
	if done == 0 {
		return text, nil
	}
	return append(filled, text[done:]...), b.share.ReserveBody(int64(len(text)))
}

// referenceName reads the text after the opening braces: a number, a dot and a name, and
// the closing braces. If it is not a reference, the length is 0.
func referenceName(text []byte) (name string, length int) {
	if len(text) == 0 || text[0] < '0' || text[0] > '9' {
		return "", 0
	}
	end := bytes.Index(text[:min(len(text), longestReference)], []byte(referenceCloses))
	if end < 0 {
		return "", 0
	}
	number, member, ok := strings.Cut(string(text[:end]), ".")
	noDigit := func(r rune) bool { return r < '0' || r > '9' }
	noLetter := func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }
	if !ok || member == "" || strings.ContainsFunc(number, noDigit) || strings.ContainsFunc(member, noLetter) {
		return "", 0
	}
	return string(text[:end]), end + len(referenceCloses)
}

// referredTo returns the documentId of a reference. The requests before this one have been
// prepared.
func (b *batch) referredTo(name, at string) (string, error) {
	number, member, _ := strings.Cut(name, ".")
	shown := referenceOpens + name + referenceCloses
	n, err := strconv.Atoi(number)
	switch {
	case member != referenceTo:
		return "", badMember(at, "refers to %s; a request can be asked for its documentId alone", shown)
	case err != nil || n >= len(b.requests):
		return "", badMember(at, "refers to %s, and there is no such request", shown)
	case n >= len(b.writes):
		return "", badMember(at, "refers to %s, which does not come before it", shown)
	case b.writes[n].Removes:
		return "", badMember(at, "refers to %s, which deletes its document", shown)
	case b.writes[n].DocumentID == "":
		return "", badMember(at, "refers to %s, a single type, whose documentId is not known before it is written", shown)
	case !content.ValidDocumentID(b.writes[n].DocumentID):
		return "", badMember(at, "refers to %s, which names no document that there can be", shown)
	}
	return b.writes[n].DocumentID, nil
}

// grow counts the bytes that a reference adds to the batch, which must stay within the
// limit on the body.
func (b *batch) grow(bytes int) error {
	most := b.site.schema.Settings.Limits.BatchBytes
	if b.grown += max(0, bytes); int64(b.grown) > most {
		return tooLarge(most)
	}
	return b.share.ReserveBody(int64(max(0, bytes)))
}

// inURL encodes a documentId for a path or a query.
func inURL(documentID string) string {
	return strings.ReplaceAll(url.QueryEscape(documentID), "+", "%20")
}

// inJSON encodes a documentId for a JSON string.
func inJSON(documentID string) string {
	quoted, err := json.Marshal(documentID)
	if err != nil {
		return ""
	}
	return string(quoted[1 : len(quoted)-1])
}
