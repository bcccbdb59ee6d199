// Package edit changes the schema files of a site folder. They remain Strapi's files,
// readable, and unchanged in git except where something has changed.
//
// Its nouns:
//
//   - A [Change] is a requested change of content types and components. It lives as long as a
//     request.
//   - A [Draft] is the result of a Change: the changed files, the site that they define, and all
//     problems. Making a Draft changes nothing.
//   - A [Mention] is a place in site.json that names something that a Change renames or removes.
//     The Draft updates it.
//   - An [Installation] writes the files of a Draft to the site folder. Its journal is a file
//     that records the former state of the folder. As long as the journal exists, [Repair] can
//     restore the former files.
//
// The package knows the content types and components below src/api and src/components, the
// places of site.json that name them, and the locales there. It changes nothing else, does not follow symbolic
// links, and does not know the effects on the content.
package edit
