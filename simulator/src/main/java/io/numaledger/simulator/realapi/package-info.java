/** A real kube-apiserver over a real etcd, as child processes of this JVM, for tests and for the demo. */
package io.numaledger.simulator.realapi;
