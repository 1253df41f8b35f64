/**
 * Runs a real kube-apiserver with a real etcd as child processes of this JVM. A test gives the directory of the binaries
 * and a working directory, and gets the URL, a kubeconfig file and a client of a ready server.
 */
@NullMarked
package io.numaledger.apiservers.real;

import org.jspecify.annotations.NullMarked;
