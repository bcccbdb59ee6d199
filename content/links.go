package content

import (
	"slices"
	"strconv"
	"strings"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// linkSet is a linksInput with resolved items. Edges have the targets of the attribute;
// their places are not set yet.
type linkSet struct {
	replace         bool
	set, disconnect []store.Edge
	connect         []connection
}

// connection is one resolved item of "connect".
type connection struct {
	edge      store.Edge
	where     body.Where
	neighbour store.Edge
}

// atEnd reports whether the input only removes links and adds others at the end.
func (s linkSet) atEnd() bool {
	return !s.replace && !slices.ContainsFunc(s.connect, func(c connection) bool { return c.where != body.AtEnd })
}

// beside reports whether the link has a position next to another one.
func (c connection) beside() bool { return c.where == body.Before || c.where == body.After }

// linker resolves the links in a body for one attribute of an entry.
type linker struct {
	op        *operation
	attribute *schema.Attribute
	from      store.Key // of the entry
	fromType  *schema.Type
	at        body.Path

	missing     int // numeric ids that do not exist
	missingType *schema.Type
}

// find resolves every document in the input. A numeric id that is disconnected need not
// exist.
func (l *linker) find(in *body.Links) (linkSet, error) {
	s := linkSet{replace: in.Replace}
	for _, item := range in.Set {
		if err := l.append(&s.set, item.Target); err != nil {
			return s, err
		}
	}
	if !in.Replace {
		if err := l.findChanges(in, &s); err != nil {
			return s, err
		}
	}
	return s, l.missingError()
}

func (l *linker) findChanges(in *body.Links, s *linkSet) error {
	for _, item := range in.Disconnect {
		edge, ok, err := l.edge(item.Target)
		if err != nil {
			return err
		}
		if ok {
			edges, err := l.versions(edge, item.Target)
			if err != nil {
				return err
			}
			s.disconnect = append(s.disconnect, edges...)
		}
	}
	for _, item := range in.Connect {
		var edges, neighbours []store.Edge
		if err := l.append(&edges, item.Target); err != nil {
			return err
		}
		c := connection{where: item.Position.Where}
		if c.beside() {
			if err := l.append(&neighbours, item.Position.Neighbour); err != nil {
				return err
			}
			c.neighbour = neighbours[0]
		}
		for _, c.edge = range edges {
			s.connect = append(s.connect, c)
		}
	}
	return nil
}

func (l *linker) append(to *[]store.Edge, item body.Target) error {
	edge, err := l.existing(item)
	if err != nil {
		return err
	}
	edges, err := l.versions(edge, item)
	*to = append(*to, edges...)
	return err
}

// versions returns the edge or, if the attribute links to the versions of a target
// separately, one edge for each version: the one that the item names, or all.
func (l *linker) versions(edge store.Edge, item body.Target) ([]store.Edge, error) {
	edges := l.op.versionsOf(l.attribute, l.fromType, l.from.Locale, edge)
	if item.Status == 0 || !Splits(l.attribute, l.fromType, l.target(item)) {
		return edges, nil
	}
	for _, e := range edges {
		if e.Only == 0 { // it is still to come
			e.Only = item.Status
		}
		if e.Only == item.Status {
			return []store.Edge{e}, nil
		}
	}
	return nil, Target{DocumentID: edge.Target, Locale: edge.Locale}.NotFound()
}

// existing returns the edge of a target that must exist. It counts numeric ids that do
// not exist.
func (l *linker) existing(item body.Target) (store.Edge, error) {
	edge, ok, err := l.edge(item)
	if err == nil && !ok {
		l.missing++
		l.missingType = l.target(item)
	}
	if err == nil && ok {
		err = l.allowed(edge)
	}
	return edge, err
}

func (l *linker) missingError() error {
	if l.missing == 0 {
		return nil
	}
	var found body.Issues
	found.Add(body.Path{}, nil, "%d relation(s) of type %s associated with this entity do not exist", l.missing, l.missingType.UID)
	return found.Err()
}

// target returns the type of an item.
func (l *linker) target(item body.Target) *schema.Type {
	if item.Morph != nil {
		return item.Morph
	}
	return l.attribute.Relation.Target
}

// edge finds the document that an item names. It returns false for a numeric id that
// does not exist, and an error for a documentId that does not exist.
//
// The target of a localized entry must exist in the locale of the entry. The target of
// another entry must exist in the locale that the item names. If it names none, this is
// the locale of the entry with the numeric id, or the default one.
func (l *linker) edge(item body.Target) (store.Edge, bool, error) {
	t := l.target(item)
	locale := l.op.site.LinkedLocale(t, l.from.Locale, item.Locale)
	if item.DocumentID != "" {
		exists, err := l.exists(t, item.DocumentID, locale)
		if exists || err != nil {
			return l.edgeTo(t, item.DocumentID, locale), exists, err
		}
		id, err := strconv.ParseUint(item.DocumentID, 10, 64)
		if err != nil && l.op.pending == nil {
			return store.Edge{}, false, Target{DocumentID: item.DocumentID, Locale: locale}.NotFound()
		}
		item.ID = id
	}
	key, ok := l.op.content.ByID(t, item.ID)
	switch {
	case !ok && item.DocumentID != "" && l.op.pending != nil:
		l.op.pending.note(l.attribute, Target{t, item.DocumentID, locale})
		return l.edgeTo(t, item.DocumentID, locale), true, nil
	case !ok:
		return store.Edge{}, false, nil
	}
	if l.from.Locale == "" && item.Locale == "" {
		locale = key.Locale
	}
	exists, err := l.exists(t, key.DocumentID, locale)
	if err == nil && !exists {
		err = Target{DocumentID: key.DocumentID, Locale: locale}.NotFound()
		if l.stored(t, key.DocumentID, locale) {
			return store.Edge{}, false, nil // as for an id that nobody has
		}
	}
	if err != nil {
		return store.Edge{}, false, err
	}
	return l.edgeTo(t, key.DocumentID, locale), true, nil
}

// exists reports whether a document has a version in the locale, draft or
// published, that exists for the caller. The document being written counts as existing.
func (l *linker) exists(t *schema.Type, documentID, locale string) (bool, error) {
	if !l.stored(t, documentID, locale) {
		return false, nil
	}
	if t.UID == schema.FileUID {
		return l.mayUse(documentID)
	}
	if l.op.filter(t) == nil || l.isFrom(t, documentID, locale) {
		return true, nil
	}
	for _, status := range []store.Status{store.Draft, store.Published} {
		if has, err := l.op.hasKey(t, store.Key{DocumentID: documentID, Locale: locale, Status: status}); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// isFrom reports whether a document is the one being written.
func (l *linker) isFrom(t *schema.Type, documentID, locale string) bool {
	return t == l.fromType && documentID == l.from.DocumentID && locale == l.from.Locale
}

// stored is exists for everybody.
func (l *linker) stored(t *schema.Type, documentID, locale string) bool {
	if l.isFrom(t, documentID, locale) {
		return true
	}
	for _, status := range []store.Status{store.Draft, store.Published} {
		if l.op.exists(t, store.Key{DocumentID: documentID, Locale: locale, Status: status}) {
			return true
		}
	}
	return false
}

func (l *linker) edgeTo(t *schema.Type, documentID, locale string) store.Edge {
	edge := store.Edge{Target: documentID}
	if l.from.Locale == "" {
		edge.Locale = locale
	}
	if l.attribute.Relation.Morph() {
		edge.Type = t.UID
	}
	return edge
}

// allowed refuses a file of a kind that the media attribute does not accept.
func (l *linker) allowed(edge store.Edge) error {
	if l.attribute.Kind != schema.Media || len(l.attribute.AllowedFiles) == 0 {
		return nil
	}
	file, err := l.op.entry(l.attribute.Relation.Target, store.Key{DocumentID: edge.Target, Status: store.Published})
	if err != nil || file == nil {
		return err
	}
	mime := file.Value("mime").Text
	if class := fileClass(mime); !slices.Contains(l.attribute.AllowedFiles, class) {
		l.op.found.Add(l.at, nil, "%s takes %s only; %s is of type %s", l.at,
			strings.Join(l.attribute.AllowedFiles, ", "), file.Value("name").Text, mime)
	}
	return nil
}

// fileClass is the word of allowedTypes for a media type.
func fileClass(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	switch kind {
	case "image", "video", "audio":
		return kind + "s"
	}
	return "files"
}
