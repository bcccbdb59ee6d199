// Package audit has the audit log: who did what to a site, from where, and when.
//
// Its nouns:
//
//   - An Event is one line: an action, what it was done to, by whom, and how it ended.
//   - A Source is in whose name something is done, and which way the request came. A
//     context carries it from where somebody is known to where something is changed.
//   - The log is the lines in the data file, each with a number one higher than that of the
//     line before it. Nothing changes a line. Lines go when they are older than the site
//     keeps them, or when there are too many bytes of them: those of strangers and
//     refusals have a share of their own, and so has the work of accounts, so that nobody
//     pushes out what changed access or the site, by trying in vain or by writing much.
//
// A line is noted in the transaction of what it is about, wherever that has one, so that
// there is neither without the other. It names things and says nothing of their content:
// no secret, and no value of an attribute.
//
// The package knows no routes, roles or content types. Those who change something say
// what it was.
package audit
