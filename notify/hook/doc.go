// Package hook asks processes beside the site about writes before they are begun.
//
// Its nouns: the [Hooks] of one version of the site; each is a [content.Hook], which is
// called over HTTP, at an address in site.json, and signed like webhooks. The Hooks live as
// long as the writer that asks them.
//
// A call is limited: in time, in the size of the answer, and in how many there are at once.
// No answer, or an invalid one, refuses the write.
//
// The package does not know how a write is done, when a hook is asked again, nor what
// happens to the data in an answer: package content checks it like the data of the caller.
package hook
