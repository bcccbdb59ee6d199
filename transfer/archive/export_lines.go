package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"quire/schema"
	"quire/store"
)

// ExportLines writes the site's own content to w as JSON lines, which ImportLines reads:
// one line for each version of a document and locale, or one for both if the draft equals
// the published version. It leaves out files, users, roles and passwords.
func ExportLines(ctx context.Context, from Origin, w io.Writer, m *Meter) (*Report, error) {
	report := &Report{}
	err := from.read(m, func(c *contents) error {
		out := bufio.NewWriterSize(&meteredWriter{m, w}, 64<<10)
		for t := range c.Site.Served() {
			if !c.takes(t) {
				continue
			}
			if err := c.lines(ctx, t, report, out); err != nil {
				return err
			}
		}
		for _, t := range c.Site.Types {
			if t.BuiltIn {
				n, err := c.served(t)
				if err != nil {
					return err
				}
				report.leave(t.UID, n, "they do not come as lines")
			}
		}
		if err := c.leftover(report); err != nil {
			return err
		}
		return out.Flush()
	})
	return report, err
}

// lines writes the lines of a type in the order of the ids of the entries, which is the
// order of responses. It writes whole lines.
func (c *contents) lines(ctx context.Context, t *schema.Type, report *Report, out io.Writer) (err error) {
	x := &lineExporter{contents: c, t: t, report: report, sorted: c.tx.NewSorter()}
	defer func() { err = errors.Join(err, x.sorted.Close()) }()
	if err := c.scan(ctx, t, x.entry); err != nil {
		return err
	}
	if err := x.settle(); err != nil {
		return err
	}
	return x.sorted.All(func(_ uint64, lines []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := out.Write(lines)
		return err
	})
}

// lineExporter makes the lines of one type from its entries in their stored order, each
// draft directly before its published version.
type lineExporter struct {
	*contents
	t      *schema.Type
	report *Report
	sorted *store.Sorter // lines, by the id of the entry that sets their position
	draft  *draftLine    // the last entry, if it was a draft
	lines  []byte
}

// draftLine is the last draft. Whether it has a published version is only known when the
// next entry arrives, and the beginning of its line depends on that.
type draftLine struct {
	entry  *store.Entry // lent: only valid until the next entry, which may be the published version
	id     uint64
	head   []byte
	data   []byte
	report Report // of the data
}

// entry takes the next entry. The lines of a document in one locale have the position of
// the working version, or of the published one if there is no other.
func (x *lineExporter) entry(e *store.Entry) error {
	x.meter.count(1)
	if !x.t.DraftAndPublish {
		return x.put(e.ID, x.line(x.lines[:0], e, "", false))
	}
	if e.Status == store.Draft {
		if err := x.settle(); err != nil {
			return err
		}
		x.draft = &draftLine{entry: e, id: e.ID, head: x.head(nil, e)}
		x.draft.data = x.data(nil, e, false, &x.draft.report)
		return nil
	}
	d := x.draft
	if d == nil || !bytes.Equal(d.head, x.head(nil, e)) {
		if err := x.settle(); err != nil {
			return err
		}
		return x.put(e.ID, x.line(x.lines[:0], e, e.Status.String(), false))
	}
	x.draft = nil
	if x.same(d.entry, e) {
		return x.put(d.id, x.finish(append(x.lines[:0], d.head...), e.Status.String(), d.data, &d.report))
	}
	lines := x.line(x.lines[:0], e, e.Status.String(), false)
	return x.put(d.id, x.line(lines, d.entry, store.Draft.String(), true))
}

// settle writes the last draft, which has no published version.
func (x *lineExporter) settle() error {
	d := x.draft
	if d == nil {
		return nil
	}
	x.draft = nil
	return x.put(d.id, x.finish(append(x.lines[:0], d.head...), store.Draft.String(), d.data, &d.report))
}

func (x *lineExporter) put(id uint64, lines []byte) error {
	x.lines = lines
	return x.sorted.Put(id, lines)
}

// same reports whether two versions give the same line.
func (x *lineExporter) same(a, b *store.Entry) bool {
	if len(a.Fields) > 0 && len(a.Fields) == len(b.Fields) && &a.Fields[0] == &b.Fields[0] {
		return true
	}
	return bytes.Equal(x.data(nil, a, true, &Report{}), x.data(nil, b, true, &Report{}))
}

// line appends the line of one version. With complete, it includes null values, so that it
// changes an earlier version into this one.
func (x *lineExporter) line(dst []byte, e *store.Entry, status string, complete bool) []byte {
	report := &Report{}
	data := x.data(nil, e, complete, report)
	return x.finish(x.head(dst, e), status, data, report)
}

// head appends the beginning of a line, which the versions of a document in one locale share.
func (x *lineExporter) head(dst []byte, e *store.Entry) []byte {
	o := beginObject(dst)
	o.text("type", x.t.UID)
	o.text("documentId", e.DocumentID)
	if e.Locale != "" {
		o.text("locale", e.Locale)
	}
	return o.dst
}

// finish appends the rest of a line to its head, and counts the line.
func (x *lineExporter) finish(dst []byte, status string, data []byte, report *Report) []byte {
	o := &object{dst: dst, count: 1}
	if status != "" {
		o.text("status", status)
	}
	o.raw("data", data)
	x.report.add(x.t.UID, 1)
	x.report.Add(report)
	return append(o.end(), '\n')
}

// data appends the data that a request would have.
func (x *lineExporter) data(dst []byte, e *store.Entry, complete bool, report *Report) []byte {
	w := &bodyWriter{contents: x.contents, report: report, t: x.t, entry: e}
	dst = w.body(dst, complete)
	report.leave("passwords", w.passwords, "only their hashes are known")
	return dst
}

// bodyWriter writes an entry as the data of a request.
type bodyWriter struct {
	*contents
	report    *Report
	t         *schema.Type
	entry     *store.Entry
	passwords int
}

func (w *bodyWriter) body(dst []byte, complete bool) []byte {
	o := beginObject(dst)
	w.values(o, w.t, w.entry.Fields, complete)
	return o.end()
}

func (w *bodyWriter) values(o *object, t *schema.Type, fields []store.Field, complete bool) {
	for _, a := range t.Attributes {
		v := fieldValue(fields, a.Name)
		empty := v.Kind == store.Null || len(v.Edges)+len(v.Instances) == 0 && (v.Kind == store.Edges || v.Kind == store.Instances)
		switch {
		case a.Kind == schema.Password:
			if !empty {
				w.passwords++
			}
		case a.Relation != nil && !a.Relation.Owns, empty && !complete && a.Default == nil:
		case a.Relation != nil:
			o.key(a.Name)
			o.dst = w.links(o.dst, a, v.Edges)
		case a.IsScalar():
			if text, ok := appendScalar(nil, a, v); ok {
				o.raw(a.Name, text)
			}
		default:
			o.key(a.Name)
			o.dst = w.instances(o.dst, a, v.Instances)
		}
	}
}

func (w *bodyWriter) links(dst []byte, a *schema.Attribute, edges []store.Edge) []byte {
	dst = append(dst, '[')
	first := true
	for _, e := range edges {
		if len(w.targets(a, e, w.entry.Locale)) == 0 {
			w.report.leave("links of "+a.Owner.UID+"."+a.Name, 1, nowhere)
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if e.Type == "" && e.Locale == "" && e.Only == 0 {
			dst = appendText(dst, e.Target)
			continue
		}
		o := beginObject(dst)
		o.text("documentId", e.Target)
		if e.Locale != "" {
			o.text("locale", e.Locale)
		}
		if e.Only != 0 {
			o.text("status", e.Only.String())
		}
		if e.Type != "" {
			o.text("__type", e.Type)
		}
		dst = o.end()
	}
	return append(dst, ']')
}

func (w *bodyWriter) instances(dst []byte, a *schema.Attribute, instances []store.Instance) []byte {
	list := a.Kind == schema.DynamicZone || a.Repeatable
	if !list && len(instances) == 0 {
		return append(dst, "null"...)
	}
	if list {
		dst = append(dst, '[')
	}
	first := true
	for _, r := range instances {
		component := componentOf(a, r.Component)
		if component == nil {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		o := beginObject(dst)
		if a.Kind == schema.DynamicZone {
			o.text("__component", r.Component)
		}
		w.values(o, component, r.Fields, false)
		dst = o.end()
	}
	if list {
		dst = append(dst, ']')
	}
	return dst
}

// componentOf returns the component with that uid, if the attribute may hold it.
func componentOf(a *schema.Attribute, uid string) *schema.Type {
	if a.Kind == schema.Component {
		return a.ComponentType
	}
	for _, t := range a.Zone {
		if t.UID == uid {
			return t
		}
	}
	return nil
}
