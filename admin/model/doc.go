// Package model asks a language model by the chat API that most servers of models have
// (POST /v1/chat/completions).
//
// A [Client] lives as long as the program. It sends one [Request] at a time for the caller and
// returns the text of the answer, or an [Error] that a person may read. It limits how much is
// sent and received, how long that takes, and how many requests run at once. It follows no
// redirects, and sends nothing without encryption outside of this machine and private networks.
//
// The package does not know what texts are about, or what becomes of an answer. It logs nothing.
package model
