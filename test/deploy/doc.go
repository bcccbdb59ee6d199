// Package deploy keeps the files of deploy/ true: it reads them with the types of Docker
// Compose and Kubernetes, and starts the programs that they name as processes of this
// machine, with the arguments and the environment that the files give. No container engine
// is needed.
//
// It is a module of its own, so that those types are no part of the program's.
//
// Its nouns:
//
//   - A [container] is one program of a file.
//   - A [machine] gives each host of a file an address, and each folder of a container a
//     folder here.
package deploy
