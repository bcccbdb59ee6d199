// Package bucket keeps files in a bucket of an object store that speaks S3.
//
// A [Bucket] is a bucket, or what has one prefix in it, as a media.Storage. The key of a
// file is the prefix and the file's name, and media.SafeName holds for every name, so that
// no key leads out of the prefix. Credentials come from the environment or from a file that
// its owner can read, and are in no error.
//
// Files go through in pieces: never is a whole one in memory. Nothing waits for long: a
// connection on which nothing moves ends, and so does a question that is not answered.
// Redirects of the store are not followed.
//
// The package knows neither records nor who may see a file.
package bucket
