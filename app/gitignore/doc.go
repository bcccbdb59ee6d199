// Package gitignore says whether git would commit a file, by the .gitignore files above it,
// and adds folders to them.
//
// It reads the files of a working tree and .git/info/exclude, not the settings of the user.
// It runs no git, and knows nothing of what is committed already.
package gitignore
