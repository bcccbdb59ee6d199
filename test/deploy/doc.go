// Package deploy tests the files of deploy/: it reads them with the types of Docker Compose
// and Kubernetes, and starts the programs that they name as processes of this machine, with
// the arguments and the environment in the files. It needs no container engine.
//
// It is a module of its own, so that the program does not depend on these types.
//
// Its nouns:
//
//   - A [container] is one program of a file.
//   - A [machine] gives each host of a file an address, and each folder of a container a
//     folder here.
package deploy
