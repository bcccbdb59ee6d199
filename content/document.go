package content

import (
	"crypto/rand"
	"slices"
	"strings"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// save plans a create or an update: it merges the input into the working version of the
// document in the request's locale, which is the draft if the type has drafts, and then
// publishes it, unless only the draft was requested.
func (op *operation) save(r Request) (Result, error) {
	if r.Beside != nil {
		op.beside = append(op.beside, r.Beside)
	}
	s, err := op.open(r)
	if err != nil {
		return Result{}, err
	}
	op.subject(s.t, s.result.DocumentID, actionOf(s.result.Created), s.publishes())
	if err := s.merge(); err != nil {
		return Result{}, err
	}
	if s.t.UID == schema.FolderUID {
		if err := s.placeFolder(); err != nil {
			return Result{}, err
		}
	}
	if s.publishes() {
		s.validate()
	}
	if err := op.found.Err(); err != nil {
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
	return s.result, op.found.Err()
}

// saving is one document that is being saved.
type saving struct {
	op      *operation
	t       *schema.Type
	request Request
	fields  []body.Given

	working   *store.Entry // the new working version
	published *store.Entry // the stored published version; nil if there is none
	isNew     bool         // the document had no version in this locale
	result    Result
}

// open finds the versions that the request is about, or creates them.
func (op *operation) open(r Request) (*saving, error) {
	s := &saving{op: op, t: r.Type, request: r}
	if r.Input != nil {
		s.fields = r.Input.Given
	}
	locale, err := op.locale(r.Type, r.Locale)
	if err != nil {
		return nil, err
	}
	documentID, created, err := op.document(r)
	if err != nil {
		return nil, err
	}
	op.act(r.Type, documentID, locale, s.actions(created)...)
	if err := op.mayChange(r.Type, documentID, locale); err != nil {
		return nil, err
	}
	if err := op.match(r, documentID); err != nil {
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

// actions returns what the write does with its document. The first update creates the document of
// a single type.
func (s *saving) actions(created bool) []schema.Action {
	actions := []schema.Action{schema.Update}
	if created && s.t.Kind != schema.Single {
		actions[0] = schema.Create
	}
	if s.t.DraftAndPublish && s.publishes() {
		actions = append(actions, schema.Publish)
	}
	return actions
}

// sight returns what the caller sees and may set of the document.
func (s *saving) sight() (*schema.Sight, error) {
	return s.op.sightOn(s.t, s.working.DocumentID, s.working.Locale)
}

// document finds the document that the request is about, and whether it is new.
func (op *operation) document(r Request) (documentID string, created bool, err error) {
	documentID = r.DocumentID
	if r.Type.Kind == schema.Single {
		single, ok := op.singleDocument(r.Type)
		switch {
		case ok && documentID != "" && documentID != single:
			return "", false, body.Refuse("%s already has the document %s", r.Type.UID, single)
		case ok:
			return single, false, nil
		}
		created = true
	}
	if documentID == "" && (created || r.create) {
		return NewDocumentID(), true, nil
	}
	exists := len(op.versions(r.Type, documentID)) > 0
	switch {
	case exists && r.create:
		return "", false, body.Refuse("%s already has the document %s", r.Type.UID, documentID)
	case exists:
		return documentID, false, nil
	case !created && !r.create && !r.either:
		return "", false, &NotFoundError{r.Type.UID, documentID}
	case !ValidDocumentID(documentID):
		return "", false, body.Refuse("%q cannot be a documentId", documentID)
	}
	return documentID, true, nil
}

// ValidDocumentID reports whether a given documentId can be used. In paths, words that
// begin with _ belong to the API.
func ValidDocumentID(documentID string) bool {
	return len(documentID) <= 255 && !strings.HasPrefix(documentID, "_") && strings.IndexFunc(documentID, func(r rune) bool { return r < ' ' }) < 0
}

// begin sets working to a copy of the stored working version. A document with only a
// published version, as after an import, gets a draft equal to it. A document without a
// version in this locale gets its shared values from the others.
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
	if base != nil && !s.op.has(s.t, base) {
		return s.op.outside(s.t, s.op.filter(s.t).Ways...)
	}
	if base != nil {
		s.working.CreatedAt, s.working.Fields = base.CreatedAt, withoutMarks(s.t, base.Fields)
		s.working.UpdatedAt, s.working.Stamp = base.UpdatedAt, base.Stamp
		if base.Status == k.Status {
			s.working.ID = base.ID
		}
		return nil
	}
	s.isNew = true
	if !s.result.Created {
		if err := s.op.forget(s.t, k); err != nil {
			return err
		}
	}
	s.working.Fields, err = s.op.sharedFields(s.t, k.DocumentID)
	return err
}

// merge merges the input into the working version.
func (s *saving) merge() error {
	sight, err := s.sight()
	if err != nil {
		return err
	}
	m := merger{op: s.op, entryType: s.t, entry: s.working.Key()}
	fields, err := m.merge(scope{sight, s.isNew}, s.working.Fields, s.fields, body.Path{})
	if err != nil {
		return err
	}
	if s.isNew {
		fields = s.op.fillWhere(s.t, s.op.actionsOn(s.t, s.working.DocumentID)[0], fields, s.fields)
		fields = s.op.defaults.fill(s.t, fields, s.fields)
	}
	s.working.Fields = fields
	s.working.UpdatedAt = s.stamp()
	if s.working.Status == store.Published {
		s.working.PublishedAt = s.op.now
	}
	return nil
}

// stamp returns the new updatedAt: now, but always later than the former ones.
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

// validate checks what is going to be published. As in Strapi, if there are no drafts, an
// update is checked only for the values that it has, and the values of the body alone decide
// which attributes are hidden.
func (s *saving) validate() {
	attributes, seen := s.t.Attributes, s.working.Fields
	absent := func(a *schema.Attribute) bool {
		return !body.Mentions(s.fields, a)
	}
	switch {
	case s.t.DraftAndPublish:
		absent = func(*schema.Attribute) bool { return false }
	case !s.isNew:
		attributes = slices.DeleteFunc(slices.Clone(attributes), absent)
	}
	if !s.t.DraftAndPublish {
		seen = slices.DeleteFunc(slices.Clone(seen), func(f store.Field) bool { a := s.t.Attribute(f.Name); return a == nil || absent(a) })
	}
	s.validateOnly(attributes, absent, seen)
}

// validateWhole is validate for an entry in which every value may have changed.
func (s *saving) validateWhole() {
	s.validateOnly(s.t.Attributes, func(*schema.Attribute) bool { return false }, s.working.Fields)
}

func (s *saving) validateOnly(attributes []*schema.Attribute, absent func(*schema.Attribute) bool, seen store.Fields) {
	final := *s.working
	final.Status = store.Published
	before := len(s.op.found)
	s.op.validate(s.t, &final, attributes, absent, seen)
	s.conceal(s.op.found[before:])
}

// conceal removes values of a draft that the caller did not send and may not read from
// issues.
func (s *saving) conceal(found body.Issues) {
	in := s.request.Input
	if in == nil || !s.t.DraftAndPublish || in.MayReadDrafts() {
		return
	}
	for i, issue := range found {
		if string(issue.Value) != "null" && !in.Gives(s.t.Attribute(issue.Path[0])) {
			found[i].Conceal()
		}
	}
}

// store plans the working version and its effects elsewhere.
func (s *saving) store() error {
	op, e := s.op, s.working
	if e.ID == 0 {
		e.ID = op.next(s.t.UID)
	}
	if err := op.put(s.t, e); err != nil {
		return err
	}
	if err := s.relink(e); err != nil {
		return err
	}
	return op.share(s.t, e)
}

// relink plans the changes that the write requests in the links of others.
func (s *saving) relink(e *store.Entry) error {
	op := s.op
	op.asking = true
	defer func() { op.asking, op.fixed = false, nil }()
	sight, err := s.sight()
	if err == nil {
		err = s.releaseAll(e)
	}
	if err != nil {
		return err
	}
	for _, g := range s.fields {
		a := g.Attribute
		if !a.IsInverse() {
			continue
		}
		if op.fixed = nil; !sight.Sets(a) {
			op.fixed = a
		}
		if err := op.inverse(a, s.t, e.Key()).write(g.Links, body.At(a.Name)); err != nil {
			return err
		}
	}
	return nil
}

func (s *saving) releaseAll(e *store.Entry) error {
	for _, a := range s.t.Attributes {
		if a.Kind == schema.RelationKind && a.Relation.Owns && a.Relation.Exclusive() {
			if err := s.op.release(a, s.t, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// documentIDLength is the length of the ids that Strapi makes.
const documentIDLength = 24

const (
	letters      = "abcdefghijklmnopqrstuvwxyz"
	alphanumeric = letters + "0123456789"
)

// NewDocumentID makes an id of 24 lower-case letters and digits that begins with a letter,
// as Strapi does. With 123 random bits, a collision is as good as impossible.
func NewDocumentID() string {
	id := make([]byte, 0, documentIDLength)
	id = append(id, pick(letters))
	for len(id) < documentIDLength {
		id = append(id, pick(alphanumeric))
	}
	return string(id)
}

// pick returns one of the choices, all equally likely.
func pick(choices string) byte {
	fair := 256 - 256%len(choices)
	var b [1]byte
	for {
		rand.Read(b[:]) // never fails
		if int(b[0]) < fair {
			return choices[int(b[0])%len(choices)]
		}
	}
}
