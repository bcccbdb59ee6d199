// Package app is an opened site, and what commands do to a site: everything that a
// command and a running server share. It is the one place where the other packages are
// wired together.
//
//   - A [Location] is where a site and its data are. Its methods are the operations of
//     the commands: import, migrate, compact, check, back up, report the status. Each is
//     done by the running server, which is asked over its socket, or by this process
//     where no server runs.
//   - An [App] is a site with its data file open. It lives from Open to Close, in one
//     process at a time. Its methods whose names end in Live are the same operations,
//     done by the server on the data that it serves.
//   - [Serving] and [Served] say how and where a site is served. Beside the requests, one
//     goroutine reloads and reopens (maintain), one makes the scheduled backups
//     (runSchedule), one publishes what is to be published at a time (runReleases), and one
//     runs the commands that come in at the socket (serveControl).
//
// The package knows no flag and prints nothing: package command does. Nothing but command
// imports it.
//
// # The states of an App
//
//	Open ──▶ opened ── Start ──▶ started ── Serve ──▶ served ── Close ──▶ closed
//
// Once started, an App is in one of four states, which is that of its parts:
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
//     site and resumes. Taken by maintain, when the folder has changed. When the new site
//     cannot be served, the former one is again.
//   - switchAfter does the same after a change of the data. Taken by the commands migrate
//     and localize. A change that is refused leaves all as it was.
//   - importLive has the writer run the import alone, and resumes with the new index. Taken
//     by the command import.
//   - installLocked exchanges the data file for that of a backup, and makes a new index.
//     Taken by the admin, in restore.go.
//   - suspendOn suspends the data file when a step fails after the file may have changed:
//     the content in memory may be behind it. The store does the same by itself when the
//     outcome of a commit is unknown.
//   - reopen opens the data file again, makes a new index from it and resumes. Taken by
//     maintain, on requestReopen and every ten seconds while the file is suspended.
//
// Every step holds App.changing from its first line to its last, which guards site, index
// and writer; so does Close. Functions whose names end in Locked need it held. Requests
// never wait for it: the server keeps the version of the site that it was given last.
package app
