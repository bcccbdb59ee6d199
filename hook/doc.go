// Package hook asks processes beside the site about writes before they are begun.
//
// Its nouns: the [Hooks] of one version of the site; each is a [content.Hook], which is
// called over HTTP, at an address that site.json names, and signed as webhooks are. The
// Hooks live as long as the writer that asks them.
//
// A call is bounded: in time, in what is read of the answer, and in how many there are at
// once. No answer, or one that means nothing, refuses the write.
//
// The package does not know how a write is done, when one is asked about again, nor what
// becomes of the data that comes back: package content checks it as what the caller sent.
package hook
