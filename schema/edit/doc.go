// Package edit changes the schema files of a site folder, as a program and not a person
// does it: so that the files stay those of Strapi, readable, and the same in git where
// nothing has changed.
//
// Its nouns:
//
//   - A [Change] is what somebody wants of content types and components: it lives as long as
//     a request.
//   - A [Draft] is what a Change makes of the files, with the site that they would be and all
//     that is wrong with them. Making one changes nothing.
//   - A [Mention] is a place of site.json that names what a Change renames or removes. The
//     Draft has it follow.
//   - An [Installation] is the files of a Draft on their way into the site folder. Its journal
//     is a file that says how the folder was before. As long as there is one, [Repair] can put
//     the former files back.
//
// The package knows the content types and components below src/api and src/components, and
// where site.json names them. It touches nothing else, does not follow symbolic links, and
// does not know what becomes of the content.
package edit
