package schema

// declareSystem gives a type the attributes that every entry has. They come
// before the declared ones, so that a clash of names is seen where it is made.
func (t *Type) declareSystem() {
	t.system("id", SystemID, Integer)
	if t.IsComponent() {
		return
	}
	t.system("documentId", SystemDocumentID, String)
	t.system("createdAt", SystemCreatedAt, DateTime)
	t.system("updatedAt", SystemUpdatedAt, DateTime)
	t.system("publishedAt", SystemPublishedAt, DateTime)
	if !t.Localized {
		return
	}
	t.system("locale", SystemLocale, String)
	localizations := t.system("localizations", SystemLocalizations, RelationKind)
	localizations.Relation = &Relation{Form: OneToMany, Target: t}
}

func (t *Type) system(name string, s System, k Kind) *Attribute {
	a := &Attribute{Name: name, Kind: k, Owner: t, Pos: -1, System: s}
	t.System = append(t.System, a)
	t.byName[name] = a
	return a
}
