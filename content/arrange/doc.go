// Package arrange knows how people want the forms and lists of the admin.
//
// Its nouns: an [Arrangement] is that of one content type or component, the same for all
// accounts: tabs, groups and widths of the form, labels and hints, the title of an entry, the
// columns of the list. A [View] is a way to look at the list of a type, of one account or
// shared by all. The home of an account is the parts of its first screen. All are in the data
// file, and last until somebody changes them.
//
// An arrangement only changes what is shown where. It never shows an attribute to an account
// that may not see it, and it has no rules for values. What it says of attributes that the
// type no longer has is left out when it is read: see [Arrangement.Fit].
//
// The package knows no accounts, no rights and no HTTP.
package arrange
