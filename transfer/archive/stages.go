package archive

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	stages "quire/content/review"
	"quire/schema"
	"quire/store"
)

// Strapi keeps review stages as entries of two types, and links each entry of content with its
// stage. Its archives contain neither who may move documents nor the people of the admin panel.

const (
	workflowUID = "plugin::review-workflows.workflow"
	stageUID    = "plugin::review-workflows.workflow-stage"

	stageField   = "strapi_stage"           // of entries
	publishField = "stageRequiredToPublish" // of workflows
)

// strapiStages are the workflows and stages of an archive by their rows, and the rows of content
// that are in a stage.
type strapiStages struct {
	workflows map[uint64]strapiWorkflow
	names     map[uint64]string   // of stages
	order     map[uint64]float64  // of stages
	members   map[uint64][]uint64 // stages by their workflow
	publish   map[uint64]uint64   // stages by their workflow
	entries   map[*schema.Type]map[uint64]uint64
}

type strapiWorkflow struct {
	Name  string   `json:"name"`
	Types []string `json:"contentTypes"`
}

func newStrapiStages() strapiStages {
	return strapiStages{map[uint64]strapiWorkflow{}, map[uint64]string{}, map[uint64]float64{}, map[uint64][]uint64{}, map[uint64]uint64{}, map[*schema.Type]map[uint64]uint64{}}
}

// isStaging reports whether a type is one of those of review stages.
func isStaging(uid string) bool { return uid == workflowUID || uid == stageUID }

// dataOf returns the data of an entity as it is in its line.
func dataOf(line []byte) string {
	var of struct {
		Data json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(line, &of) // it was read once already
	return string(of.Data)
}

// take takes over a workflow or a stage. One that cannot be read has no name, and is left out.
func (s *strapiStages) take(uid string, row uint64, data string) {
	var w strapiWorkflow
	_ = json.Unmarshal([]byte(data), &w)
	if uid == workflowUID {
		s.workflows[row] = w
		return
	}
	s.names[row] = w.Name
}

// link takes over a link of a workflow, a stage, or an entry of content.
func (s *strapiStages) link(site *schema.Site, l *linkLine) {
	left, right := l.Left, l.Right
	if left.Type == workflowUID && left.Field == "stages" { // from the other side
		left, right = right, left
	}
	from, to := uint64(left.Ref), uint64(right.Ref)
	switch t := site.Type(left.Type); {
	case left.Type == stageUID && right.Type == workflowUID:
		s.members[to] = append(s.members[to], from)
		s.order[from] = cmp.Or(positionValue(right.Pos), positionValue(left.Pos))
	case left.Type == workflowUID && left.Field == publishField:
		s.publish[from] = to
	case t != nil && left.Field == stageField:
		if s.entries[t] == nil {
			s.entries[t] = map[uint64]uint64{}
		}
		s.entries[t][from] = to
	}
}

// stageID returns the id of a stage of the archive.
func stageID(row uint64) string { return fmt.Sprintf("s%d", row) }

// stagesOfTypes makes the stages of the site's types from those of Strapi, unless the archive has
// those of Quire. What does not fit is left out, and reported.
func (s *survey) stagesOfTypes() {
	for _, row := range slices.Sorted(maps.Keys(s.strapi.workflows)) {
		w, members := s.strapi.workflows[row], s.strapi.members[row]
		slices.SortStableFunc(members, func(a, b uint64) int {
			return cmp.Or(cmp.Compare(s.strapi.order[a], s.strapi.order[b]), cmp.Compare(a, b))
		})
		for _, uid := range w.Types {
			t := s.site.Type(uid)
			if t == nil || t.BuiltIn || t.IsComponent() || s.staged[uid] != nil {
				continue
			}
			made := &stages.Workflow{}
			for _, member := range members {
				made.Stages = append(made.Stages, stages.Stage{ID: stageID(member), Name: s.strapi.names[member]})
			}
			if needed := s.strapi.publish[row]; needed != 0 && t.DraftAndPublish {
				made.Publish = stageID(needed)
			}
			if err := made.Check(t); err != nil {
				s.report.leave("stages of types", 1, "they do not fit: "+err.Error())
				continue
			}
			s.staged[uid] = made
			s.report.leave("roles that may move documents", len(made.Stages), "an archive does not have them: set them in the admin")
		}
	}
}

// placeDocuments puts documents into the stages that they have in Strapi. With Merge, those that
// have a review here stay where they are.
func (r *restoration) placeDocuments(db *store.DB) error {
	placed := 0
	for t, rows := range r.strapi.entries {
		for some := range slices.Chunk(slices.Sorted(maps.Keys(rows)), placedAtOnce) {
			err := db.Update(func(tx *store.Tx) error {
				w, err := stages.WorkflowOf(tx, t.UID)
				if err != nil {
					return err
				}
				for _, id := range some {
					stage := stageID(rows[id])
					at, known := r.rows.find(t, id)
					if !known || w.Stage(stage) == nil || t.DraftAndPublish && at.status != store.Draft {
						continue
					}
					set, err := stages.Restore(tx, stages.Place{UID: t.UID, DocumentID: at.documentID, Locale: at.locale}, &stages.State{Stage: stage}, nil)
					if err != nil {
						return err
					}
					if set {
						placed++
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	r.report.add("documents in stages", placed)
	return nil
}

// placedAtOnce is the number of documents that one transaction puts into stages.
const placedAtOnce = 8192
