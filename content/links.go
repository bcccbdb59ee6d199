package content

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"quire/schema"
	"quire/store"
)

// linkSet is a linksInput whose items have been found. Edges name what the
// attribute leads to; their places are not set yet.
type linkSet struct {
	set, disconnect []store.Edge
	connect         []connection
}

// connection is one found item of "connect".
type connection struct {
	edge      store.Edge
	where     place
	neighbour store.Edge
}

// linker finds what a body links to from one attribute of an entry.
type linker struct {
	op        *operation
	attribute *schema.Attribute
	from      store.Key // of the entry
	fromType  *schema.Type
	at        path

	missing     int // numeric ids that name nothing
	missingType *schema.Type
}

// find finds every document that the input names. What it disconnects by
// numeric id need not exist.
func (l *linker) find(in *linksInput) (linkSet, error) {
	var s linkSet
	for _, item := range in.set {
		if err := l.append(&s.set, item.target); err != nil {
			return s, err
		}
	}
	if !in.replace {
		if err := l.findChanges(in, &s); err != nil {
			return s, err
		}
	}
	return s, l.missingError()
}

func (l *linker) findChanges(in *linksInput, s *linkSet) error {
	for _, item := range in.disconnect {
		edge, ok, err := l.edge(item.target)
		if err != nil {
			return err
		}
		if ok {
			s.disconnect = append(s.disconnect, edge)
		}
	}
	for _, item := range in.connect {
		c := connection{where: item.position.where}
		var err error
		if c.edge, err = l.existing(item.target); err != nil {
			return err
		}
		if c.where == before || c.where == after {
			if c.neighbour, err = l.existing(item.position.neighbour); err != nil {
				return err
			}
		}
		s.connect = append(s.connect, c)
	}
	return nil
}

func (l *linker) append(to *[]store.Edge, item target) error {
	edge, err := l.existing(item)
	*to = append(*to, edge)
	return err
}

// existing is edge for what must exist; it counts numeric ids that do not.
func (l *linker) existing(item target) (store.Edge, error) {
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
	var found issues
	found.add(path{}, nil, "%d relation(s) of type %s associated with this entity do not exist", l.missing, l.missingType.UID)
	return found.err()
}

// target is the type that an item is of.
func (l *linker) target(item target) *schema.Type {
	if item.morph != nil {
		return item.morph
	}
	return l.attribute.Relation.Target
}

// edge finds the document that an item names. It returns false for a numeric
// id that is nobody's, and an error for a documentId that is nobody's.
//
// What is linked to from a localized entry must exist in the entry's locale.
// From other entries, it must exist in the locale that the item names or, when
// it names none, in that of the entry with the numeric id or the default one.
func (l *linker) edge(item target) (store.Edge, bool, error) {
	t := l.target(item)
	locale := l.locale(t, item)
	if item.documentID != "" {
		if l.exists(t, item.documentID, locale) {
			return l.edgeTo(t, item.documentID, locale), true, nil
		}
		id, err := strconv.ParseUint(item.documentID, 10, 64)
		if err != nil && l.op.pending == nil {
			return store.Edge{}, false, notLinked(item.documentID, locale)
		}
		item.id = id
	}
	key, ok := l.op.content.ByID(t, item.id)
	switch {
	case !ok && item.documentID != "" && l.op.pending != nil:
		l.op.pending.note(l.attribute, Target{t, item.documentID, locale})
		return l.edgeTo(t, item.documentID, locale), true, nil
	case !ok:
		return store.Edge{}, false, nil
	}
	if l.from.Locale == "" && item.locale == "" {
		locale = key.Locale
	}
	if !l.exists(t, key.DocumentID, locale) {
		return store.Edge{}, false, notLinked(key.DocumentID, locale)
	}
	return l.edgeTo(t, key.DocumentID, locale), true, nil
}

func (l *linker) locale(t *schema.Type, item target) string {
	switch {
	case !t.Localized:
		return ""
	case l.from.Locale != "":
		return l.from.Locale
	case item.locale != "":
		return item.locale
	}
	return l.op.site.Settings.DefaultLocale
}

// exists reports whether a document has a version in the locale, draft or
// published. The document being written counts as existing.
func (l *linker) exists(t *schema.Type, documentID, locale string) bool {
	if t == l.fromType && documentID == l.from.DocumentID && locale == l.from.Locale {
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

func notLinked(documentID, locale string) error {
	if locale == "" {
		locale = "null"
	}
	return refuse("Document with id %q, locale %q not found", documentID, locale)
}

// allowed refuses a file of a kind that the media attribute does not take.
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
		l.op.found.add(l.at, nil, "%s takes %s only; %s is of type %s", l.at,
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

// end is where an edge leads to. An attribute never holds two edges to one end.
type end struct{ document, kind, locale string }

func endOf(e store.Edge) end { return end{e.Target, e.Type, e.Locale} }

func indexOf(list []store.Edge, e store.Edge) int {
	return slices.IndexFunc(list, func(other store.Edge) bool { return endOf(other) == endOf(e) })
}

// byEnd finds the edges of a list.
func byEnd(list []store.Edge) map[end]store.Edge {
	m := make(map[end]store.Edge, len(list))
	for _, e := range list {
		m[endOf(e)] = e
	}
	return m
}

// newList is the list of links after the input. Links that stay where they were
// keep their Place; new and moved ones have Place 0. A list that holds one link
// keeps the last one named.
func (l *linker) newList(current []store.Edge, in *linksInput) ([]store.Edge, error) {
	found, err := l.find(in)
	if err != nil {
		return nil, err
	}
	list := replaced(current, found.set)
	if !in.replace {
		gone := byEnd(found.disconnect)
		list = slices.DeleteFunc(slices.Clone(current), func(e store.Edge) bool {
			_, ok := gone[endOf(e)]
			return ok
		})
		list, err = l.connect(list, found.connect, in.lenient)
	}
	if err == nil && len(list) > 1 && !l.attribute.Relation.Many() {
		list = list[len(list)-1:]
	}
	return list, err
}

// replaced is the list of set, each document once.
func replaced(current, set []store.Edge) []store.Edge {
	old, taken := byEnd(current), make(map[end]bool, len(set))
	var list []store.Edge
	for _, e := range set {
		if taken[endOf(e)] {
			continue
		}
		taken[endOf(e)] = true
		if kept, ok := old[endOf(e)]; ok {
			e = kept
		}
		list = append(list, e)
	}
	return list
}

// connect adds links one after the other, so that a position may refer to one
// connected before it. A link that is there already moves.
func (l *linker) connect(list []store.Edge, connections []connection, lenient bool) ([]store.Edge, error) {
	old, done := byEnd(list), make(map[end]bool, len(connections))
	for _, c := range connections {
		if done[endOf(c.edge)] {
			return nil, l.wrongList("%s is connected twice at %s", c.edge.Target, l.at)
		}
		done[endOf(c.edge)] = true
		if _, there := old[endOf(c.edge)]; there {
			if c.where == atEnd && endOf(list[len(list)-1]) == endOf(c.edge) {
				continue // stays
			}
			was := indexOf(list, c.edge)
			list = slices.Delete(list, was, was+1)
		}
		i, ok := insertAt(list, c)
		if !ok && !lenient {
			return nil, l.wrongList("%s is to be connected next to %s, which %s does not hold", c.edge.Target, c.neighbour.Target, l.at)
		}
		list = slices.Insert(list, i, c.edge)
	}
	return list, nil
}

// insertAt returns the index for a new link; the end and false when its
// neighbour is not in the list.
func insertAt(list []store.Edge, c connection) (int, bool) {
	switch c.where {
	case atEnd:
		return len(list), true
	case atStart:
		return 0, true
	}
	i := indexOf(list, c.neighbour)
	if i < 0 {
		return len(list), false
	}
	if c.where == after {
		i++
	}
	return i, true
}

func (l *linker) wrongList(format string, args ...any) error {
	var found issues
	found.add(path{}, nil, "Invalid relations: %s", fmt.Sprintf(format, args...))
	return found.err()
}
