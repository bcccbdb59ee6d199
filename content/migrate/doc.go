// Package migrate adapts stored content to schemas that have changed.
//
// An [Evolution] takes all content from one version of the site to another: names of types and
// attributes, values of another kind, locales. Its [Plan] says what happens to how many
// documents, within limits, before anybody decides.
//
// A [Migration] moves the values of an attribute to another name, or removes values that the
// schemas no longer have. A [Localization] gives entries a locale if a type has become
// localized, or keeps one locale of each document if it no longer is. Each is planned over all
// content first, and refused with a [MigrationError] before anything changes; Preview only
// plans.
//
// The package works on a file that nobody else writes to. It does not use the Writer, and so
// does not apply the rules of a single write. It does not know how a site is taken out of use
// meanwhile.
package migrate
