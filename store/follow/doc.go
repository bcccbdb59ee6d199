// Package follow lets a server hold a copy of the content of another one, over HTTP.
//
// Its nouns:
//
//   - The leader is the server that writes. Its data file decides each commit, and its
//     [quire/store.Tail] has the last ones.
//   - A follower has a [Feed] that reads those batches, or an image of the whole data
//     file if the leader no longer has them. It lives as long as the server.
//   - A [State] is what the leader says about itself: with each connection, and in the
//     stream of batches while nothing is written.
//   - The lag is how long ago the follower certainly had everything. It is never less than
//     the truth: see [Feed.Current].
//   - An epoch counts the leaders of a site. It is part of the content. Whoever sees a
//     higher one has been superseded.
//
// Nothing that a follower wants to write is stored: it forwards the request to the leader.
//
// The package does not know who may follow, what a site is, or how a leader is replaced.
package follow
