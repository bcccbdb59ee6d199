package content

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Folders of files are documents of a built-in type and form a tree: folders in the same
// folder have different names, and no folder contains itself. As in Strapi, the path of a
// folder consists of the pathIds of the folders above it and of itself, "/3/17". It is
// computed from the links, so both values in a body have no effect.

// Limits of the tree of folders. An import may exceed them.
const (
	MostFolders = 5000
	FolderDepth = 20
)

// folder is one folder of the tree.
type folder struct {
	documentID, parent, name, path string
	pathID                         int64
}

// folderTree is all folders at the time of a write, by documentId.
type folderTree map[string]*folder

func storedFolders(t *schema.Type, s *index.Snapshot) folderTree {
	tree := folderTree{}
	for f := range s.Lookup(t, store.Published).All() {
		id, _ := strconv.ParseInt(f.Text("pathId"), 10, 64)
		tree[f.DocumentID()] = &folder{f.DocumentID(), f.Link("parent"), f.Text("name"), f.Text("path"), id}
	}
	return tree
}

// FolderFaults returns what is wrong with the tree of folders, by documentId. Only an
// import can cause this. The error is the store's.
func FolderFaults(t *schema.Type, tx *store.Tx) (map[string]string, error) {
	tree, faults, names := folderTree{}, map[string]string{}, map[[2]string]bool{}
	err := tx.Scan(t.UID, func(e *store.Entry) error {
		if e.Status == store.Published && t.TakesLocale(e.Locale) {
			tree[e.DocumentID] = folderOf(e)
		}
		return nil
	})
	for _, id := range slices.Sorted(maps.Keys(tree)) {
		f := tree[id]
		up := tree.above(f)
		place := [2]string{f.parent, f.name}
		switch {
		case slices.Contains(up, f):
			faults[id] = "the folder stands in itself"
		case names[place]:
			faults[id] = "another folder beside it has the same name"
		case f.path != tree.pathOf(f):
			faults[id] = "its path is not that of the folders that it stands in"
		}
		names[place] = true
	}
	return faults, err
}

// folders returns the folders after the write. Reading a large tree takes milliseconds, so
// the operations of one write share it.
func (op *operation) folders(t *schema.Type) folderTree {
	if op.tree == nil {
		op.tree = storedFolders(t, op.content)
	}
	op.tree.follow(op.changes)
	return op.tree
}

// follow updates the tree after changes of folders.
func (t folderTree) follow(changes []store.Change) {
	for _, c := range changes {
		switch {
		case t == nil || c.Type != schema.FolderUID:
		case c.After == nil:
			delete(t, c.Before.DocumentID)
		default:
			t[c.After.DocumentID] = folderOf(c.After)
		}
	}
}

func folderOf(e *store.Entry) *folder {
	f := &folder{documentID: e.DocumentID, name: e.Value("name").Text, path: e.Value("path").Text, pathID: e.Value("pathId").Num}
	if edges := e.Value("parent").Edges; len(edges) > 0 {
		f.parent = edges[0].Target
	}
	return f
}

// above yields the folders above one, nearest first. If an import has made a cycle, it ends
// where the cycle begins again.
func (t folderTree) above(f *folder) (list []*folder) {
	for up := t[f.parent]; up != nil && !slices.Contains(list, up); up = t[up.parent] {
		list = append(list, up)
	}
	return list
}

// below returns the folders in a folder and in its subfolders, each after the one that
// contains it.
func (t folderTree) below(documentID string) (list []*folder) {
	if !t.hasChildren(documentID) {
		return nil
	}
	children := map[string][]*folder{}
	for _, id := range slices.Sorted(maps.Keys(t)) {
		children[t[id].parent] = append(children[t[id].parent], t[id])
	}
	seen := map[string]bool{documentID: true}
	for next := []string{documentID}; len(next) > 0; next = next[1:] {
		for _, f := range children[next[0]] {
			if !seen[f.documentID] {
				seen[f.documentID] = true
				list, next = append(list, f), append(next, f.documentID)
			}
		}
	}
	return list
}

// hasChildren reports whether a folder contains another one.
func (t folderTree) hasChildren(documentID string) bool {
	for _, f := range t {
		if f.parent == documentID && f.documentID != documentID {
			return true
		}
	}
	return false
}

// placeFolder checks the place of a folder, and sets its path and those of the folders
// below it.
func (s *saving) placeFolder() error {
	tree := s.op.folders(s.t)
	f := folderOf(s.working)
	if f.parent != "" && tree[f.parent] == nil {
		f.parent = "" // its folder was removed
	}
	was := tree[f.documentID]
	if f.pathID = tree.freeID(); was != nil {
		f.pathID = was.pathID
	}
	if was == nil && len(tree) >= MostFolders {
		return body.Refuse("There are already %d folders, which is the maximum", len(tree))
	}
	tree[f.documentID] = f
	below := tree.below(f.documentID)
	s.checkFolder(tree, f, below)
	if err := s.op.found.Err(); err != nil {
		return err
	}
	f.path = tree.pathOf(f)
	s.working.Fields = s.working.Fields.With("pathId", store.Value{Kind: store.Int, Num: f.pathID}).With("path", store.Value{Kind: store.Text, Text: f.path})
	return s.op.repath(s.t, tree, below)
}

func (t folderTree) freeID() (id int64) {
	for _, f := range t {
		id = max(id, f.pathID)
	}
	return id + 1
}

func (t folderTree) pathOf(f *folder) string {
	path := "/" + strconv.FormatInt(f.pathID, 10)
	for _, up := range t.above(f) {
		path = "/" + strconv.FormatInt(up.pathID, 10) + path
	}
	return path
}

// checkFolder records what is wrong with the place of a folder.
func (s *saving) checkFolder(tree folderTree, f *folder, below []*folder) {
	found := &s.op.found
	refuse := func(key string, format string, args ...any) {
		found.Add(body.At(key), nil, "%s", fmt.Sprintf(format, args...))
	}
	if f.name != strings.TrimSpace(f.name) || strings.ContainsFunc(f.name, func(r rune) bool { return r == '/' || r < ' ' || r == 0x7f }) {
		refuse("name", "The name of a folder is one line, without / and without spaces around it")
	}
	for _, other := range tree {
		if other != f && other.name == f.name && tree.isIn(other, f.parent) {
			refuse("name", "There is a folder %q here already; take another name", f.name)
			break
		}
	}
	deepest := 0
	for _, b := range below {
		if b.documentID == f.parent {
			refuse("parent", "A folder cannot stand in itself, nor in one of its own folders")
			return
		}
		deepest = max(deepest, len(tree.above(b))-len(tree.above(f)))
	}
	if f.parent == f.documentID {
		refuse("parent", "A folder cannot stand in itself, nor in one of its own folders")
		return
	}
	if len(tree.above(f))+1+deepest > FolderDepth {
		refuse("parent", "Folders are at most %d deep", FolderDepth)
	}
}

// isIn reports whether a folder is in another one; in none if that is empty or was removed.
func (t folderTree) isIn(f *folder, parent string) bool {
	if t[f.parent] == nil {
		return parent == ""
	}
	return f.parent == parent
}

// repath sets the paths of the folders below one that has moved.
func (op *operation) repath(t *schema.Type, tree folderTree, below []*folder) error {
	for _, f := range below {
		path := tree.pathOf(f)
		if path == f.path {
			continue
		}
		stored, err := op.entry(t, store.Key{DocumentID: f.documentID, Status: store.Published})
		if err != nil || stored == nil {
			return err
		}
		moved := *stored
		moved.Fields = moved.Fields.With("path", store.Value{Kind: store.Text, Text: path})
		if err := op.put(t, &moved); err != nil {
			return err
		}
	}
	return nil
}

// mayRemoveFolder refuses to delete a folder that is not empty.
func (op *operation) mayRemoveFolder(t *schema.Type, documentID string) error {
	if op.folders(t).hasChildren(documentID) {
		return &ApplicationError{"The folder holds other folders; move or delete them first"}
	}
	files := op.site.Type(schema.FileUID)
	if len(op.owners(files.Attribute("folder"), t, documentID, store.Published)) > 0 {
		return &ApplicationError{"The folder holds files; move or delete them first"}
	}
	return nil
}
