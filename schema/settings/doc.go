// Package settings has the settings of site.json: locales, page sizes, limits, accounts,
// mail, files, backups, and the roles, defaults and ages that it gives content types by
// uid.
//
// [Settings] has all settings. [Read] reads them from the file, [Default] returns them for
// a site without a file, and [Settings.ReadByType] adds the parts that name content types
// once these are known. What is not valid is reported as a problem; settings with a problem
// must not be used.
//
// Settings are part of a loaded site: they never change and are shared without
// locks.
//
// The package does not know what a content type is: it gets the uids that exist ([Types]).
// Whether a type has the attributes that a default names is checked where queries are
// compiled.
package settings
