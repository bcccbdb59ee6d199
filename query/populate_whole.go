package query

import "quire/schema"

// populate[*]=whole is for editing an entry: it populates all that belongs to the entry,
// and no more. Components are populated at any depth, also if a component contains itself:
// the data limits the depth, because the selection of a component leads back to itself.
// Media are complete. Of the targets of relations, the ids, the locale and the main field
// are shown, and of each relation the first mostLinked targets.

// wholeLevels means a selection without a limit of levels.
const wholeLevels = -1

// mostLinked is the maximum number of targets of one relation that populate[*]=whole shows.
const mostLinked = 1000

// populateWhole populates all that belongs to the records of a selection.
func (p *populator) populateWhole(s *selection) {
	for _, a := range s.shape.populatable {
		if !s.sight.Sees(a) || !p.mayShow(s, a) || a.System == schema.SystemLocalizations {
			continue
		}
		behind := p.wholeSelection
		one := &population{attribute: a, key: `,"` + a.Name + `":`}
		if a.Relation != nil {
			one.limit = mostLinked
			behind = p.namedSelection
		}
		if a.Kind != schema.DynamicZone && targetType(a) != nil {
			one.record = behind(p.behind(s, a, targetType(a)))
		} else {
			one.byType = map[*schema.Type]*selection{}
			for _, t := range p.targetTypes(a) {
				one.byType[t] = behind(p.behind(s, a, t))
			}
		}
		p.b.deep++
		s.add(one)
	}
}

// wholeSelection returns the one selection of components of a scope, which others share.
func (p *populator) wholeSelection(in scope) *selection {
	if s := p.whole[deep{in, wholeLevels}]; s != nil {
		return s
	}
	s := &selection{shape: p.c.shape(in.t), sight: in.sight, shared: true}
	if p.whole == nil {
		p.whole = map[deep]*selection{}
	}
	p.whole[deep{in, wholeLevels}] = s
	p.populateWhole(s)
	s.arrange()
	return s
}

// namedSelection returns what is shown of the targets of a relation: everything of files,
// and of entries what identifies them.
func (p *populator) namedSelection(in scope) *selection {
	p.b.dependsOn(in.t)
	s := &selection{shape: p.c.shape(in.t), sight: in.sight}
	if in.t.UID != schema.FileUID {
		s.fields = fieldSet{in.t.MainField(in.sight.Sees): true}
		if in.t.Localized {
			s.fields[in.t.Attribute("locale")] = true
		}
	}
	s.arrange()
	return s
}
