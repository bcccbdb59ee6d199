// Package review knows the stages through which documents go before they are published, and
// what people say about them on the way.
//
// Its nouns: a [Workflow] is the stages of one content type. A new document is in the first of
// them. A [State] is where a document is in one locale: its stage, the account that has to
// work on it, and until when. A [Comment] is about a document or one of its fields; comments
// that answer it make a thread, which somebody resolves. A [Place] is a document in one locale,
// to which a state and comments belong. All are in the data file; the state and the comments of
// a place are deleted with the last version of the document there.
//
// The package says which stage a document needs to be published ([NeededStage]); package content
// asks it. It knows accounts and roles by their ids alone, and no rights and no HTTP: whoever
// shows a comment has to ask whether the reader sees its document and its field.
package review
