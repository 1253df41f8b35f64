/**
 * The kubelet's side of the podresources API, for tests and simulated nodes. A {@code PodResourcesServer} answers on a unix
 * socket with the values of any {@link io.numaledger.podresources.PodResources}. {@code UnixSocketServer} serves any gRPC
 * service on a unix socket.
 */
@NullMarked
package io.numaledger.podresources.server;

import org.jspecify.annotations.NullMarked;
