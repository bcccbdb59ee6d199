package archive

import (
	"bufio"
	"context"
	"io"

	"quire/schema"
	"quire/store"
)

// ExportLines writes the site's own content to w as JSON lines, which
// ImportLines reads: one line for each version of a document and locale, or one
// for both where the draft is as it was published. Files, users and roles do not
// come as lines, and neither do passwords.
func ExportLines(ctx context.Context, from Origin, w io.Writer, m *Meter) (*Report, error) {
	report := &Report{}
	err := from.read(m, func(c *contents) error {
		x := &lineExporter{contents: c, report: report, out: bufio.NewWriterSize(&meteredWriter{m, w}, 64<<10)}
		for t := range c.Site.Served() {
			if !c.takes(t) {
				continue
			}
			if err := x.each(ctx, t, func(e *store.Entry) error { return x.entry(t, e) }); err != nil {
				return err
			}
		}
		for _, t := range c.Site.Types {
			if t.BuiltIn {
				report.leave(t.UID, len(c.keys[c.Site.TypeOrdinal(t)]), "they do not come as lines")
			}
		}
		if err := c.leftover(report); err != nil {
			return err
		}
		return x.out.Flush()
	})
	return report, err
}

// lineExporter writes lines.
type lineExporter struct {
	*contents
	out    *bufio.Writer
	report *Report
}

// entry writes the lines of a document in one locale when it comes to the
// working version, or to the published one where there is no other.
func (x *lineExporter) entry(t *schema.Type, e *store.Entry) error {
	if !t.DraftAndPublish {
		return x.line(t, e, "", false)
	}
	other := e.Key()
	other.Status = store.Published
	if e.Status == store.Published {
		other.Status = store.Draft
	}
	twin, err := x.tx.Entry(t.UID, other)
	switch {
	case err != nil:
		return err
	case twin == nil:
		return x.line(t, e, e.Status.String(), false)
	case e.Status == store.Published:
		return nil // with the draft
	}
	if err := x.line(t, twin, "published", false); err != nil || x.same(t, e, twin) {
		return err
	}
	return x.line(t, e, "draft", true)
}

func (x *lineExporter) writer(t *schema.Type, e *store.Entry) *bodyWriter {
	return &bodyWriter{contents: x.contents, report: x.report, t: t, entry: e}
}

// same reports whether two versions give the same line.
func (x *lineExporter) same(t *schema.Type, a, b *store.Entry) bool {
	one, other := x.writer(t, a), x.writer(t, b)
	one.report, other.report = &Report{}, &Report{}
	return string(one.body(nil, true)) == string(other.body(nil, true))
}

// line writes one version. With complete, it names what is null too, so that it
// changes an earlier version into this one.
func (x *lineExporter) line(t *schema.Type, e *store.Entry, status string, complete bool) error {
	o := beginObject(make([]byte, 0, 1024))
	o.text("type", t.UID)
	o.text("documentId", e.DocumentID)
	if e.Locale != "" {
		o.text("locale", e.Locale)
	}
	if status != "" {
		o.text("status", status)
	}
	o.key("data")
	w := x.writer(t, e)
	o.dst = w.body(o.dst, complete)
	x.report.add(t.UID, 1)
	x.report.leave("passwords", w.passwords, "only their hashes are known")
	_, err := x.out.Write(append(o.end(), '\n'))
	return err
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

// componentOf is the component of that uid, if the attribute may hold it.
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
