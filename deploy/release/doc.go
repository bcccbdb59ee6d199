// Command release builds everything that users install from a checkout of Quire:
//
//	go run . -out DIR [-url URL] [-only OS/ARCH] [-key FILE]
//
// It writes into DIR, for Linux, macOS and Windows on amd64 and arm64:
//
//	quire_VERSION_OS_ARCH.tar.gz   the program, its manual pages and completions; .zip for Windows
//	quire-cluster_…                the same with the tag cluster, for Linux
//	….cdx.json                     the modules in each program, as CycloneDX
//	quire_VERSION_ARCH.deb         a Debian package with the program and a systemd unit
//	quire_VERSION_image.tar        a container image for both architectures, as an OCI layout
//	quire-cluster_VERSION_image.tar
//	quire.rb                       a formula for Homebrew, if -url says where the files will be
//	SHA256SUMS                     the sums of all of them
//	SHA256SUMS.sig                 their signature, if -key names an SSH key
//
// VERSION is the version that Go records from the tags of the repository, which
// `quire version` prints. The same commit and the same version of Go give the same
// bytes on any machine.
//
// It is a module of its own, so that the program does not depend on what packs it.
package main
