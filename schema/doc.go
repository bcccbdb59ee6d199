// Package schema describes the structure of content.
//
// Its nouns: a [Site] is a loaded site folder. It has content types and components, and
// each is a [Type]. A Type has [Attribute]s, each of one [Kind]. A [Relation] says what an
// attribute links to. [Access] is the interface to a caller's rights.
// [quire/schema/settings.Settings] has the settings of site.json.
//
// [Load] reads Strapi's own schema files from their usual places. It returns either a Site in
// which every name has been resolved to a pointer, or [quire/schema/source.Problems]: every
// contradiction in the folder, each with its file, its place in that file and a way to fix it.
// Load guesses nothing and loads nothing in part. It ignores options that have no effect here,
// such as collectionName and those of the admin panel, so that an existing project folder loads
// unchanged.
//
// A Site never changes, but for the title of a Type, and is shared without locks. A changed
// folder is loaded as another Site.
//
// The package knows neither entries nor storage nor HTTP, nor where the folder is: it gets an
// [io/fs.FS].
package schema
