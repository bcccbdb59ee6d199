package content

import (
	"slices"
	"strings"

	"quire/schema"
	"quire/store"
)

// save plans a create or an update: the input goes into the working version of
// the document in the request's locale, which is the draft where the type has
// drafts; then that is published unless only the draft was asked for.
func (op *operation) save(r Request) (Result, error) {
	s, err := op.open(r)
	if err != nil {
		return Result{}, err
	}
	if err := s.merge(); err != nil {
		return Result{}, err
	}
	if s.publishes() {
		s.validate()
	}
	if err := op.found.err(); err != nil {
		return Result{}, err
	}
	if err := s.store(); err != nil {
		return Result{}, err
	}
	if s.publishes() && s.t.DraftAndPublish {
		if err := s.publish(); err != nil {
			return Result{}, err
		}
	}
	return s.result, op.found.err()
}

// saving is one document being saved.
type saving struct {
	op      *operation
	t       *schema.Type
	request Request
	fields  []given

	working   *store.Entry // the new working version
	published *store.Entry // the stored published version; nil when there is none
	isNew     bool         // the document had no version in this locale
	result    Result
}

// open finds the versions that the request is about, or begins them.
func (op *operation) open(r Request) (*saving, error) {
	s := &saving{op: op, t: r.Type, request: r}
	if r.Input != nil {
		s.fields = r.Input.fields
	}
	locale, err := op.locale(r.Type, r.Locale)
	if err != nil {
		return nil, err
	}
	documentID, created, err := op.document(r)
	if err != nil {
		return nil, err
	}
	s.result = Result{DocumentID: documentID, Locale: locale, Status: store.Published, Created: created}
	if !s.publishes() {
		s.result.Status = store.Draft
	}
	return s, s.begin(store.Key{DocumentID: documentID, Locale: locale})
}

// publishes reports whether the write ends with a published version.
func (s *saving) publishes() bool {
	return s.request.Status != store.Draft || !s.t.DraftAndPublish
}

// document decides which document a request is about, and whether it is new.
func (op *operation) document(r Request) (documentID string, created bool, err error) {
	documentID = r.DocumentID
	if r.Type.Kind == schema.Single {
		single, ok := op.content.SingleDocument(r.Type)
		switch {
		case ok && documentID != "" && documentID != single:
			return "", false, refuse("%s has the document %s already", r.Type.UID, single)
		case ok:
			return single, false, nil
		}
		created = true
	}
	if documentID == "" && (created || r.create) {
		return newDocumentID(), true, nil
	}
	exists := len(op.content.Versions(r.Type, documentID)) > 0
	switch {
	case exists && r.create:
		return "", false, refuse("%s has the document %s already", r.Type.UID, documentID)
	case exists:
		return documentID, false, nil
	case !created && !r.create && !r.either:
		return "", false, &NotFoundError{r.Type.UID, documentID}
	case !storable(documentID):
		return "", false, refuse("%q cannot be a documentId", documentID)
	}
	return documentID, true, nil
}

// storable reports whether a documentId that is brought along can be kept.
func storable(documentID string) bool {
	return len(documentID) <= 255 && strings.IndexFunc(documentID, func(r rune) bool { return r < ' ' }) < 0
}

// begin sets working to a copy of the stored working version. A document that
// only has a published version, as after an import, gets a draft that equals it;
// one without a version in this locale gets its shared values from the others.
func (s *saving) begin(k store.Key) error {
	var err error
	k.Status = store.Published
	if s.published, err = s.op.entry(s.t, k); err != nil {
		return err
	}
	base := s.published
	if s.t.DraftAndPublish {
		k.Status = store.Draft
		draft, err := s.op.entry(s.t, k)
		if err != nil {
			return err
		}
		if draft != nil {
			base = draft
		}
	}
	s.working = &store.Entry{DocumentID: k.DocumentID, Locale: k.Locale, Status: k.Status, CreatedAt: s.op.now}
	if base != nil {
		s.working.CreatedAt, s.working.Fields = base.CreatedAt, base.Fields
		s.working.UpdatedAt = base.UpdatedAt
		if base.Status == k.Status {
			s.working.ID = base.ID
		}
		return nil
	}
	s.isNew = true
	s.working.Fields, err = s.op.sharedFields(s.t, k.DocumentID)
	return err
}

// merge lays the input over the working version.
func (s *saving) merge() error {
	m := merger{op: s.op, entryType: s.t, entry: s.working.Key()}
	fields, err := m.merge(s.working.Fields, s.fields, path{})
	if err != nil {
		return err
	}
	if s.isNew {
		fields = s.op.defaults.fill(s.t, fields, s.fields)
	}
	s.working.Fields = fields
	s.working.UpdatedAt = s.stamp()
	if s.working.Status == store.Published {
		s.working.PublishedAt = s.op.now
	}
	return nil
}

// stamp is the new updatedAt: now, but always after the former ones.
func (s *saving) stamp() int64 {
	stamp := s.op.now
	if !s.isNew {
		stamp = max(stamp, s.working.UpdatedAt+1)
	}
	if s.published != nil && s.publishes() {
		stamp = max(stamp, s.published.UpdatedAt+1)
	}
	return stamp
}

// validate checks what is going to be published. Where there are no drafts, an
// update answers for what it gives only, as in the reference.
func (s *saving) validate() {
	attributes := s.t.Attributes
	absent := func(a *schema.Attribute) bool {
		_, said := find(s.fields, a)
		return !said
	}
	switch {
	case s.t.DraftAndPublish:
		absent = func(*schema.Attribute) bool { return false }
	case !s.isNew:
		attributes = slices.DeleteFunc(slices.Clone(attributes), absent)
	}
	final := *s.working
	final.Status = store.Published
	s.op.validate(s.t, &final, attributes, absent)
}

// store plans the working version and what follows from it elsewhere.
func (s *saving) store() error {
	op, e := s.op, s.working
	if e.ID == 0 {
		e.ID = op.next(s.t.UID)
	}
	if err := op.put(s.t, e); err != nil {
		return err
	}
	if err := s.releaseAll(e); err != nil {
		return err
	}
	body := path{}
	for _, g := range s.fields {
		if a := g.attribute; isInverse(a) {
			v := op.inverse(a, s.t, e.Key())
			if err := v.write(g.links, body.attribute(a.Name)); err != nil {
				return err
			}
			if s.publishes() && !s.t.DraftAndPublish {
				if err := v.publish(); err != nil {
					return err
				}
			}
		}
	}
	return op.share(s.t, e)
}

func (s *saving) releaseAll(e *store.Entry) error {
	for _, a := range s.t.Attributes {
		if a.Kind == schema.RelationKind && a.Relation.Owns && a.Relation.Exclusive() {
			if err := s.op.release(a, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// isInverse reports whether the links of an attribute are stored on its other side.
func isInverse(a *schema.Attribute) bool {
	return a.Kind == schema.RelationKind && !a.Relation.Owns && a.Relation.Inverse != nil
}
