package schema

// arrange gives the attributes of every type their slots: the relations and
// media that own edges first, so that following an edge does not read past the
// texts, then the others as declared.
func (s *Site) arrange() {
	for _, types := range [][]*Type{s.Types, s.Components} {
		for _, t := range types {
			t.arrange()
		}
	}
}

func (t *Type) arrange() {
	t.Slots = make([]*Attribute, 0, len(t.Attributes))
	for _, linking := range []bool{true, false} {
		for _, a := range t.Attributes {
			if linking == (a.Relation != nil && a.Relation.Owns) {
				a.Slot = len(t.Slots)
				t.Slots = append(t.Slots, a)
			}
		}
	}
}
