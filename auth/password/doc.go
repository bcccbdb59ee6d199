// Package password hashes passwords and compares them.
//
// It has one noun: a Hasher, which lives as long as the server and limits how many hashes
// are computed at a time. Hash makes argon2id hashes; Matches compares with those and with
// bcrypt hashes from elsewhere, in the same time for every hash.
//
// It knows neither users nor where hashes are stored.
package password
