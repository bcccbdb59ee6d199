// Package settings is what site.json says: locales, page sizes, limits, accounts,
// mail, files, backups, and the roles, defaults and ages that it gives content
// types by uid.
//
// [Settings] is all of it. [Read] fills one from the file, [Default] is one without
// a file, and [Settings.ReadByType] adds the parts that name content types once
// these are known. What is not valid is reported as a problem; settings with a
// problem are not for use.
//
// Settings are part of a loaded site: they never change and are shared without
// locks.
//
// The package does not know what a content type is: it is given the uids that exist
// ([Types]), and whether a type has the attributes that a default names is checked
// where queries are compiled.
package settings
