package content

import (
	"encoding/json"
	"slices"

	"quire/content/body"
	"quire/content/history"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Restoration restores a former version of a document, into its draft or, if the type has
// no drafts, into the entry. The Locales of the Step have no effect.
type Restoration struct {
	Step
	Locale   string       // of the version, "" for types that are not localized
	Status   store.Status // of the version
	Revision uint64       // of the version

	// Entry is a version of the document in another site that is restored instead of a former one.
	// Components that this site does not have in the same place get ids of their own.
	Entry *store.Entry

	// Create allows to create a deleted document again. Without it, that is an error.
	Create bool
}

// Dropped is a link of a former version that could not be restored.
type Dropped struct {
	Attribute *schema.Attribute
	Path      string       // "sections.chef"
	Private   bool         // the caller does not see it, or a component around it
	Target    *schema.Type // nil if the site lacks it
	Edge      store.Edge
}

// ToRestore restores a former version, as one of several writes: see [Writer.Together]. It
// leaves out what the current schema does not have, and links to targets that no longer
// exist, which are in dropped when the write is done. Passwords, links from the other side,
// and relations to types that the Access may not find do not change. Errors: as for Update,
// *history.UnreadableError, and those of ready, which is called from time to time to ask
// whether to continue.
func ToRestore(r Restoration, ready func() error, dropped *[]Dropped) Write {
	return Write{plan: r.Step.with(func(op *operation) ([]Result, error) {
		result, lost, err := op.restore(r, ready)
		*dropped = lost
		return []Result{result}, err
	}), about: r.matter()}
}

func (op *operation) restore(r Restoration, ready func() error) (Result, []Dropped, error) {
	version, err := op.versionOf(r, ready)
	if err != nil {
		return Result{}, nil, err
	}
	exists := len(op.versions(r.Type, r.DocumentID)) > 0
	if version == nil || !op.has(r.Type, version) || !exists && (!r.Create || op.isReplaced(r)) {
		return Result{}, nil, &NotFoundError{r.Type.UID, r.DocumentID}
	}
	if !exists {
		err = op.mayAs(r.Type, r.Locale, func() (store.Actor, error) { return version.Stamp.CreatedBy, nil }, schema.Update)
	}
	if err != nil {
		return Result{}, nil, err
	}
	s, err := op.openRestored(r)
	if err != nil {
		return Result{}, nil, err
	}
	if !exists {
		op.acting.creator = version.Stamp.CreatedBy
	}
	op.subject(s.t, s.result.DocumentID, store.ActionRestore, s.publishes())
	if s.isNew {
		s.working.CreatedAt, s.working.Stamp.CreatedBy = version.CreatedAt, version.Stamp.CreatedBy
	}
	b := &restorer{op: op, s: s, access: r.Access, isNew: s.isNew, foreign: r.Entry != nil}
	sight, err := s.sight()
	if err != nil {
		return Result{}, nil, err
	}
	if s.working.Fields, err = b.fields(s.t, sight, s.working.Fields, version.Fields, ""); err != nil {
		return Result{}, nil, err
	}
	s.working.UpdatedAt = s.stamp()
	if s.t.UID == schema.FolderUID {
		if err := s.placeFolder(); err != nil {
			return Result{}, nil, err
		}
	}
	if s.publishes() {
		s.working.PublishedAt = op.now
		s.validateWhole()
	}
	if err := op.found.Err(); err != nil {
		return Result{}, nil, err
	}
	if err := s.store(); err != nil {
		return Result{}, nil, err
	}
	return s.result, b.dropped, op.found.Err()
}

// versionOf returns what is restored; nil if there is no such version.
func (op *operation) versionOf(r Restoration, ready func() error) (version *store.Entry, err error) {
	if r.Entry != nil {
		foreign := *r.Entry
		foreign.Stamp = store.Stamp{} // its authors and numbers are those of the other site
		return &foreign, nil
	}
	err = op.view(func(tx *store.Tx) (err error) {
		version, err = history.Read(tx, r.Type.UID, store.Key{DocumentID: r.DocumentID, Locale: r.Locale, Status: r.Status}, r.Revision, ready)
		return err
	})
	return version, err
}

// isReplaced reports whether a single type has another document now.
func (op *operation) isReplaced(r Restoration) bool {
	if r.Type.Kind != schema.Single {
		return false
	}
	_, replaced := op.singleDocument(r.Type)
	return replaced
}

// openRestored finds the entry that a restoration writes, or creates it.
func (op *operation) openRestored(r Restoration) (*saving, error) {
	nothing, err := body.Decode(op.site, r.Type, json.RawMessage("{}"), r.Access)
	if err != nil {
		return nil, err
	}
	request := Request{Type: r.Type, DocumentID: r.DocumentID, Locale: r.Locale, Status: store.Draft, Input: nothing, Match: r.Match, either: true}
	return op.open(request)
}

// restorer copies the fields of a former version to an entry.
type restorer struct {
	op      *operation
	s       *saving
	access  schema.Access
	private bool // whether it is in a component that the caller does not see
	foreign bool // whether the version is that of another site
	isNew   bool // whether the entry or component is created again, including what the caller may not set
	dropped []Dropped
}

// fields merges the former fields into the current ones. at is the path of a component,
// empty for the entry.
func (b *restorer) fields(t *schema.Type, sight *schema.Sight, now, then store.Fields, at string) (store.Fields, error) {
	fields := slices.Clone(now)
	for _, a := range t.Attributes {
		if b.stays(a) || b.isFixed(a, sight) {
			continue
		}
		v := then.Value(a.Name)
		if !v.IsEmpty() && !index.Suits(a, &v) {
			v = store.Value{}
		}
		path := a.Name
		if at != "" {
			path = at + "." + path
		}
		switch v.Kind {
		case store.Instances:
			var err error
			if v.Instances, err = b.instances(a, sight, now.Value(a.Name).Instances, v.Instances, path); err != nil {
				return nil, err
			}
		case store.Edges:
			v.Edges = b.edges(a, sight, now.Value(a.Name).Edges, v.Edges, path)
		case store.Null:
		default:
			body.CheckLimits(a, v, body.At(path), false, &b.op.found)
			if b.foreign {
				body.CheckReadable(b.op.site, v, body.At(path), &b.op.found)
			}
		}
		if err := b.op.mayLose(now.Value(a.Name).Instances, v.Instances, sight.Within(a), path); err != nil {
			return nil, err
		}
		fields = fields.Set(a.Name, v)
	}
	return fields, nil
}

// isFixed reports whether an attribute stays unchanged because the caller may not set it:
// because of its sight, or because locales share it that the caller may not change.
// Something that is created again is restored completely.
func (b *restorer) isFixed(a *schema.Attribute, sight *schema.Sight) bool {
	t := b.s.t
	if a.Owner == t && t.Localized && a.IsShared() && !b.s.result.Created {
		return b.op.limitsLocales(t, b.s.working.DocumentID) || !sight.Sets(a)
	}
	return !b.isNew && !sight.Sets(a)
}

// stays reports whether a restoration leaves an attribute unchanged: passwords, and
// relations that the caller could not write.
func (b *restorer) stays(a *schema.Attribute) bool {
	switch {
	case a.Kind == schema.Password:
		return true
	case a.Kind != schema.RelationKind:
		return false
	case !a.Relation.Owns:
		return true
	}
	return !a.Relation.Morph() && !b.allows(a.Relation.Target)
}

func (b *restorer) allows(t *schema.Type) bool {
	return b.access == nil || b.access.Allows(t, schema.Find)
}

// instances restores components, with their ids.
func (b *restorer) instances(a *schema.Attribute, sight *schema.Sight, now, then []store.Instance, path string) ([]store.Instance, error) {
	defer func(private, isNew bool) { b.private, b.isNew = private, isNew }(b.private, b.isNew)
	b.private = b.private || !sight.Sees(a)
	present, around := byID(now), b.isNew
	var instances []store.Instance
	for _, r := range then {
		t := b.op.site.Type(r.Component)
		if t == nil || !t.IsComponent() || t != a.ComponentType && !slices.Contains(a.Zone, t) {
			continue // the schema does not have it there any longer
		}
		r.ID = stayingID(a, sight.Within(a), now, r)
		here, known := present[instanceID{r.Component, r.ID}]
		if b.isNew = around || !known; b.foreign && !known {
			r.ID = b.op.next(r.Component)
		}
		fields, err := b.fields(t, sight.Within(a), here.Fields, r.Fields, path)
		if err != nil {
			return nil, err
		}
		r.Fields = fields
		instances = append(instances, r)
	}
	return instances, nil
}

// edges returns the former links whose targets still exist. Links that the target sees keep
// their place in its list, or go to its end.
func (b *restorer) edges(a *schema.Attribute, sight *schema.Sight, now, then []store.Edge, path string) []store.Edge {
	var edges []store.Edge
	morph, private := a.Relation.Morph(), b.private || !sight.Sees(a)
	for _, e := range then {
		t := b.op.targetOf(a, e)
		switch {
		case t == nil || !b.leads(a, t, e) || !private && !b.mayShow(t, e):
			b.dropped = append(b.dropped, Dropped{a, path, private, t, e})
		case morph && !b.allows(t):
		default:
			edges = append(edges, e)
		}
	}
	if morph { // links to what the caller may not find stay
		for _, e := range now {
			if t := b.op.targetOf(a, e); t != nil && !b.allows(t) {
				edges = append(edges, e)
			}
		}
	}
	if !a.Relation.Many() {
		edges = oneEach(edges)
	}
	switch placed := a.Kind == schema.RelationKind && !a.Owner.IsComponent(); {
	case a.IsTwoSided() || b.foreign && placed:
	case b.foreign: // the places are those of the other site
		for i := range edges {
			edges[i].Place = 0
		}
		return edges
	default:
		return edges
	}
	edges = b.op.apart(a, b.s.t, b.s.working.Locale, edges)
	for i := range edges {
		edges[i].Place = 0
	}
	b.op.assignPlaces(a, edges, byEnd(b.op.apart(a, b.s.t, b.s.working.Locale, now)))
	return PairVersions(edges)
}

// oneEach keeps the first of the links that show in the same locale and version.
func oneEach(edges []store.Edge) (kept []store.Edge) {
	for _, e := range edges {
		if !slices.ContainsFunc(kept, func(k store.Edge) bool {
			return k.Locale == e.Locale && (k.Only == e.Only || k.Only == 0 || e.Only == 0)
		}) {
			kept = append(kept, e)
		}
	}
	return kept
}

// mayShow reports whether a link may be restored where the caller sees it: not one to a private file
// that the caller may not use.
func (b *restorer) mayShow(t *schema.Type, e store.Edge) bool {
	if t.UID != schema.FileUID {
		return true
	}
	l := linker{op: b.op, from: b.s.working.Key(), fromType: b.s.t}
	usable, err := l.mayUse(e.Target)
	return err == nil && usable
}

// leads reports whether a link leads to a valid target: a document in the locale in which
// it is shown, or a file of a kind that the attribute accepts.
func (b *restorer) leads(a *schema.Attribute, t *schema.Type, e store.Edge) bool {
	k := b.op.targetKey(t, b.s.working.Locale, e)
	found := b.op.exists(t, k.WithStatus(store.Draft)) && e.Only != store.Published || b.op.exists(t, k.WithStatus(store.Published)) && e.Only != store.Draft
	if itself := t == b.s.t && k.DocumentID == b.s.working.DocumentID && k.Locale == b.s.working.Locale; itself {
		return true
	}
	if !found || a.Kind != schema.Media {
		return found
	}
	before := len(b.op.found)
	l := linker{op: b.op, attribute: a, from: b.s.working.Key(), fromType: b.s.t}
	err := l.allowed(e)
	refused := len(b.op.found) > before
	b.op.found = b.op.found[:before]
	return err == nil && !refused
}
