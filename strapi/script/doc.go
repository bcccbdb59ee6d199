// Package script reads what files of JavaScript and TypeScript say in literals, without
// running them.
//
// [Parse] reads a file as a list of [Statement]s, with [Value]s in them: literals, names,
// calls, functions. What it does not understand is a Statement or a Value of the kind
// Unknown, with its line, so that whoever reads a file knows what it leaves out. A [Scope]
// has the constants of a file; it puts them in the place of their names.
//
// Values live as long as their readers want them. The package does not know what the code
// is for, nor Strapi.
package script
