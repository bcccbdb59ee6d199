package documents

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"quire/schema"
)

// Texts in the response to the holder of a preview link can say where they come from, so that
// a click on a text in the page leads to its field. Behind the text stand invisible
// characters, which encode a JSON object as the library of Vercel does: four characters of
// width zero, then four for each byte of the JSON, which are the digits of the byte to base 4.

// MostMarkBytes limits what marks add to a response. Texts beyond it have none.
const MostMarkBytes = 4 << 20

// Marks says what the marks of a response contain.
type Marks struct {
	// Admin is the address of the admin, such as "https://cms.example.org/admin"; empty for
	// none. Tools of others lead to the form there.
	Admin string

	// Files is whether the addresses of files have marks too, as in Strapi.
	Files bool
}

var markDigits = [...]string{"\u200b", "\u200c", "\u200d", "\ufeff"}

// appendMark appends an object in JSON, invisibly.
func appendMark(dst []byte, object string) []byte {
	dst = append(dst, strings.Repeat(markDigits[0], 4)...)
	for _, b := range []byte(object) {
		for shift := 6; shift >= 0; shift -= 2 {
			dst = append(dst, markDigits[b>>shift&3]...)
		}
	}
	return dst
}

// AppendMarked is Append for the holder of a preview link, with marks behind the texts.
func (r *Read) AppendMarked(ctx context.Context, dst []byte, m Marks) ([]byte, error) {
	start := len(dst)
	dst, err := r.Append(ctx, dst)
	if err != nil || r.call.V4 || r.all != nil || r.call.Caller.Preview() == nil {
		return dst, err
	}
	if err := r.call.Budget.Reserve(2*len(dst) + MostMarkBytes); err != nil {
		return dst, err
	}
	w := &marker{site: r.call.Site, t: r.Type(), marks: m, src: slices.Clone(dst[start:]), dst: dst[:start], left: MostMarkBytes}
	w.object(func(key string) {
		if key == "data" {
			w.documents()
			return
		}
		w.value()
	})
	return append(w.dst, w.src[w.copied:]...), nil
}

// marker copies JSON that this program has written, and adds marks. Its methods read one value
// each.
type marker struct {
	site   *schema.Site
	t      *schema.Type // of the entries of the response
	marks  Marks
	src    []byte
	at     int // what has been read of src
	copied int // what has been copied of it
	dst    []byte
	left   int // bytes that marks may still take

	documentID, locale string // of the entry of the response
}

// documents reads an entry of the response, or a list of them.
func (w *marker) documents() {
	if w.src[w.at] == '[' {
		w.list(func(int) { w.documents() })
		return
	}
	w.documentID, w.locale = "", ""
	begin := w.at
	w.object(func(key string) {
		from := w.at
		w.value()
		switch key {
		case "documentId":
			_ = json.Unmarshal(w.src[from:w.at], &w.documentID)
		case "locale":
			_ = json.Unmarshal(w.src[from:w.at], &w.locale)
		}
	})
	w.at = begin
	w.record(w.t, "")
}

// record reads an entry or an instance of a component, a list of them, or null. t is nil if
// only the record says its type.
func (w *marker) record(t *schema.Type, path string) {
	if w.src[w.at] == '[' {
		w.list(func(i int) { w.record(t, path+"."+strconv.Itoa(i)) })
		return
	}
	w.object(func(key string) {
		if key == "__component" || key == "__type" {
			from, uid := w.at, ""
			w.value()
			_ = json.Unmarshal(w.src[from:w.at], &uid)
			t = w.site.Type(uid)
			return
		}
		var a *schema.Attribute
		if t != nil {
			a = t.Attribute(key)
		}
		if a == nil || a.System != schema.NotSystem {
			w.value()
			return
		}
		w.attribute(a, strings.TrimPrefix(path+"."+key, "."))
	})
}

// attribute reads the value of an attribute.
func (w *marker) attribute(a *schema.Attribute, path string) {
	switch {
	case a.Owner.UID == schema.FileUID && !w.marksFile(a.Name):
		w.value()
	case a.Kind == schema.String, a.Kind == schema.Text, a.Kind == schema.RichText:
		w.text(a, path, a.Owner.UID == schema.FileUID && a.Name == "url")
	case a.Kind == schema.Blocks:
		w.blocks(a, path)
	case a.Kind == schema.Component, a.Kind == schema.DynamicZone, a.Relation != nil:
		w.record(only(a), path)
	default:
		w.value()
	}
}

// only returns the type of the records that an attribute leads to; nil if there are several.
func only(a *schema.Attribute) *schema.Type {
	if a.Relation != nil {
		return a.Relation.Target
	}
	return a.ComponentType
}

func (w *marker) marksFile(name string) bool {
	return name == "alternativeText" || name == "caption" || name == "url" && w.marks.Files
}

// blocks reads blocks, and marks the first text of each.
func (w *marker) blocks(a *schema.Attribute, path string) {
	if w.src[w.at] != '[' {
		w.value()
		return
	}
	w.list(func(int) {
		marked := w.isCode()
		w.block(a, path, &marked)
	})
}

// isCode reports whether the next block is one of code, which people copy from a page.
func (w *marker) isCode() bool {
	begin, kind := w.at, ""
	w.object(func(key string) {
		from := w.at
		if w.value(); key == "type" {
			_ = json.Unmarshal(w.src[from:w.at], &kind)
		}
	})
	w.at = begin
	return kind == "code"
}

func (w *marker) block(a *schema.Attribute, path string, marked *bool) {
	if w.src[w.at] == '[' {
		w.list(func(int) { w.block(a, path, marked) })
		return
	}
	w.object(func(key string) {
		switch {
		case key == "children":
			w.block(a, path, marked)
		case key == "text" && !*marked && w.src[w.at] == '"':
			*marked = w.text(a, path, false)
		default:
			w.value()
		}
	})
}

// text reads a text, and marks it unless it is empty, a number, or an address, which must stay
// as it is. It reports whether the text has a mark. always is for addresses too.
func (w *marker) text(a *schema.Attribute, path string, always bool) bool {
	from, value := w.at, ""
	w.value()
	if json.Unmarshal(w.src[from:w.at], &value) != nil || value == "" || !always && isPlain(value) {
		return false
	}
	if last, _ := utf8.DecodeLastRuneInString(value); slices.Contains(markDigits[:], string(last)) {
		return false // it would be read as a part of the mark
	}
	mark := appendMark(nil, w.source(a, path))
	if len(mark) > w.left {
		return false
	}
	w.left -= len(mark)
	w.dst = append(append(w.dst, w.src[w.copied:w.at-1]...), mark...)
	w.copied = w.at - 1
	return true
}

// isPlain reports whether a text is for programs: an address, a path, a color, a number.
func isPlain(text string) bool {
	if strings.ContainsAny(text, " \n") {
		return false
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return true
	}
	u, err := url.Parse(text)
	return err == nil && (u.Scheme != "" || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "#"))
}

// source returns what a mark says about a value of the entry at a path, in JSON.
func (w *marker) source(a *schema.Attribute, path string) string {
	kind := a.Kind.String()
	if a.Owner.UID == schema.FileUID {
		kind = schema.Media.String()
	}
	s := "documentId=" + url.QueryEscape(w.documentID) + "&type=" + kind + "&path=" + url.QueryEscape(path) + "&model=" + url.QueryEscape(a.Owner.UID)
	switch {
	case a.Owner.IsComponent():
	case a.Owner.Kind == schema.Single:
		s += "&kind=singleType"
	default:
		s += "&kind=collectionType"
	}
	if w.locale != "" {
		s += "&locale=" + url.QueryEscape(w.locale)
	}
	if a.Kind == schema.Blocks {
		s += "&fieldPath=" + url.QueryEscape(path)
	}
	if w.marks.Admin == "" {
		return `{"strapiSource":` + strconv.Quote(s) + `}`
	}
	return `{"origin":"quire","href":` + strconv.Quote(w.form(path)) + `,"strapiSource":` + strconv.Quote(s) + `}`
}

// form returns the address of a field in the admin.
func (w *marker) form(path string) string {
	at := w.marks.Admin + "/content/" + w.t.UID + "/" + url.PathEscape(w.documentID)
	if w.t.Kind == schema.Single {
		at = w.marks.Admin + "/single/" + w.t.UID
	}
	at += "?field=" + url.QueryEscape(path)
	if w.locale != "" {
		at += "&locale=" + url.QueryEscape(w.locale)
	}
	return at
}

// value reads any value, and marks nothing.
func (w *marker) value() {
	switch w.src[w.at] {
	case '{':
		w.object(func(string) { w.value() })
	case '[':
		w.list(func(int) { w.value() })
	case '"':
		for w.at++; w.src[w.at] != '"'; w.at++ {
			if w.src[w.at] == '\\' {
				w.at++
			}
		}
		w.at++
	default:
		for !strings.ContainsRune(",]} \n\t\r:", rune(w.src[w.at])) {
			w.at++
		}
	}
}

// object reads an object, or anything else as value does. each reads a value.
func (w *marker) object(each func(key string)) {
	if w.src[w.at] != '{' {
		if w.src[w.at] != '[' {
			w.value()
			return
		}
		w.list(func(int) { w.value() })
		return
	}
	w.items('}', func(int) {
		from := w.at
		w.value()
		key := string(w.src[from+1 : w.at-1]) // one with an escaped character is no attribute
		w.space(":")
		each(key)
	})
}

// list reads a list.
func (w *marker) list(each func(i int)) { w.items(']', each) }

// items reads what is between brackets.
func (w *marker) items(end byte, each func(i int)) {
	w.at++
	for i := 0; ; i++ {
		if w.space(","); w.src[w.at] == end {
			w.at++
			return
		}
		each(i)
	}
}

// space skips space, and the characters of sign.
func (w *marker) space(sign string) {
	for strings.IndexByte(" \n\t\r"+sign, w.src[w.at]) >= 0 {
		w.at++
	}
}
