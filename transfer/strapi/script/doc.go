// Package script reads literals in files of JavaScript and TypeScript, without running
// them.
//
// [Parse] reads a file as a list of [Statement]s, with [Value]s in them: literals, names,
// calls, functions. What it does not understand is a Statement or a Value of the kind
// Unknown, with its line, so that the reader knows what is missing. A [Scope] has the
// constants of a file; it replaces their names with them.
//
// Values live as long as their readers want them. The package does not know what the code
// is for, nor Strapi.
package script
