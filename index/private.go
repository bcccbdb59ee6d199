package index

import (
	"quire/schema"
	"quire/store"
)

// A file is private if its folder is, or a folder above that one. Only signed addresses open
// private files, so whoever shows or opens a file asks here.

// deepestPrivate is how many folders above a file are asked. Writes make fewer levels, and an
// import may make more, or a cycle: what is deeper is private.
const deepestPrivate = 100

// HasPrivateFolders reports whether some files may be private.
func (s *Snapshot) HasPrivateFolders() bool {
	folders := s.folders()
	if folders.Len() == 0 {
		return false
	}
	_, some := folders.ByValue("private", store.Value{Kind: store.Bool, Num: 1})
	return some
}

// folders returns the look-up of the folders of files.
func (s *Snapshot) folders() Lookup { return s.Lookup(s.site.Type(schema.FolderUID), store.Published) }

// IsPrivate reports whether an entry of the type of files is private.
func (s *Snapshot) IsPrivate(file *Entry) bool {
	return s.HasPrivateFolders() && s.IsPrivateFolder(Found{s, s.site.Type(schema.FileUID), file}.Link("folder"))
}

// IsPrivateRecord is IsPrivate for the record of a file as it is stored, or was.
func (s *Snapshot) IsPrivateRecord(file *store.Entry) bool {
	folder := file.Value("folder").Edges
	return len(folder) > 0 && s.IsPrivateFolder(folder[0].Target)
}

// IsPrivate reports whether the file that was found is private.
func (f Found) IsPrivate() bool { return f.s.IsPrivate(f.entry) }

// IsPrivateFolder reports whether the files in a folder are private; false for an empty
// documentId, and for a folder that was removed.
func (s *Snapshot) IsPrivateFolder(documentID string) bool {
	folders := s.folders()
	for range deepestPrivate {
		folder, ok := folders.ByDocument(documentID, "")
		if !ok {
			return false
		}
		if folder.Bool("private") {
			return true
		}
		documentID = folder.Link("parent")
	}
	return true
}
