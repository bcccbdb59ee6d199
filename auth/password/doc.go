// Package password hashes passwords and compares them.
//
// It has one noun: a Hasher, which lives as long as the server and bounds how many
// hashes are made at a time. Hash makes argon2id hashes; Matches compares with those
// and with the bcrypt hashes that come from elsewhere, in the same time for every hash.
//
// It knows no users, and nothing of where hashes are stored.
package password
