// Package bucket stores files in a bucket of an object store that speaks S3.
//
// A [Bucket] is a media.Storage: a bucket, or the part of it below one prefix. The key of a file
// is the prefix and the file's name. Every name fulfils media.SafeName, so that no key leads out
// of the prefix. Credentials come from the environment or from a file that only its owner can
// read, and are in no error.
//
// Files are sent and received in pieces, and are never in memory as a whole. Nothing waits
// without a limit: a connection without progress is closed, and so is a request without a
// response. Redirects of the store are not followed.
//
// The package knows neither records nor who may see a file.
package bucket
