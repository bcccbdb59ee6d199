// Package schema says what content looks like.
//
// Its nouns: a [Site] is a loaded site folder. It has content types and
// components, both of them a [Type]; a Type has [Attribute]s, each of one
// [Kind]; a [Relation] is what an attribute links to. [Access] is how a caller's
// rights are asked for. What site.json adds is [quire/schema/settings.Settings].
//
// [Load] reads Strapi's own schema files from their own places. It either
// returns a Site in which every name has been resolved to a pointer, or
// [quire/schema/source.Problems]: every contradiction in the folder, each with its file, its place
// in that file and a way out. Nothing is guessed and nothing is half loaded.
// Options that have no meaning here, such as collectionName or those of the
// admin panel, are left alone, so that an existing project folder loads as it
// stands.
//
// A Site lives as long as the process, never changes, and is shared without
// locks.
//
// The package knows neither entries nor storage nor HTTP, and does not know
// where the folder is: it is given an [io/fs.FS].
package schema
