// Package migrate makes stored content follow schemas that have changed.
//
// An [Evolution] takes all content from one version of the site to another: names of types
// and attributes, values that become those of another kind, locales. Its [Plan] says what
// happens to how many documents, within bounds, before anybody decides.
//
// A [Migration] moves the values of an attribute to another name, or removes what the
// schemas no longer have. A [Localization] gives entries a locale, or keeps one locale
// of each document, where a type has become localized or no longer is. Either is
// planned over all content first, and refused with a [MigrationError] before anything
// is changed; Preview plans alone.
//
// The package works on a file that nobody else writes to, past the Writer, and so
// past the rules of a single write. It does not know how a site is taken out of use
// meanwhile.
package migrate
