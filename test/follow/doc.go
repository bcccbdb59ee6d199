// Package follow tests followers from outside: a leader and its followers run as programs,
// with a line between them that can be cut, be silent or be slow.
package follow
