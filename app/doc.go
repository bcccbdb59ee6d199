// Package app is an opened site, and what commands do to a site: everything that a
// command and a running server share. It is the one place where the other packages are
// wired together.
//
//   - A [Location] is where a site and its data are. Its methods are the operations of
//     the commands: import, migrate, compact, check, back up, report the status. The
//     running server does each of them, through its socket, or this process if no server
//     runs.
//   - An [App] is a site with its data file open. It lives from Open to Close, in one
//     process at a time. Its methods whose names end in Live are the same operations,
//     which the server does on the data that it serves.
//   - [Serving] and [Served] say how and where a site is served. Beside the requests, one
//     goroutine reloads and reopens (maintain), one makes the scheduled backups
//     (runSchedule), one carries out schedules and releases (runReleases), and one runs the
//     commands that arrive at the socket (serveControl).
//
// The package knows no flags and prints nothing; package command does both, and is the
// only package that imports it.
//
// # The states of an App
//
//	Open ──▶ opened ── Start ──▶ started ── Serve ──▶ served ── Close ──▶ closed
//
// Once started, an App is in one of four states:
//
//	state      reads     writes           the writer   the data file
//	serving    answered  answered         open         takes updates
//	reloading  answered  answered 503     closed       takes updates
//	importing  answered  wait             busy         takes updates
//	suspended  answered  answered 503     open         refuses updates
//
//	                reload, migrate, localize
//	   ┌───────────────────────────────────────────┐
//	   │                                           ▼
//	serving ◀────────────── done ────────────── reloading
//	 │    ▲                                      │     ▲
//	 │    │ done                            fails│     │ reopen
//	 ▼    │                                      ▼     │
//	importing ───────────── fails ────────────▶ suspended
//
// The steps, in reload.go, import.go and restore.go:
//
//   - reload reads the site folder; switchTo closes the writer, makes a new index for the
//     site and resumes. Called by maintain when the folder has changed. If the new site
//     cannot be served, the former one stays.
//   - switchAfter does the same after a change of the data. Called by the commands migrate
//     and localize. A change that is refused changes nothing.
//   - importLive lets the writer run the import alone, and resumes with the new index.
//     Called by the command import.
//   - installLocked exchanges the data file for that of a backup, and makes a new index.
//     Called by the admin, in restore.go.
//   - suspendOn suspends the data file if a step fails after the file may have changed,
//     because the content in memory may be older. The store does the same if the outcome
//     of a commit is unknown.
//   - reopen opens the data file again, makes a new index from it and resumes. Called by
//     maintain, on requestReopen and every ten seconds while the file is suspended.
//
// Each step holds App.changing from beginning to end, which guards site, index and writer;
// so does Close. Callers of functions whose names end in Locked hold it. Requests never
// wait for it: the server uses the version of the site that it was given last.
package app
