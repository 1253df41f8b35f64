/**
 * Simulated nodes: each registers a Node, decides about pods with the kubelet model, and serves a podresources socket
 * to an agent. Descriptions of nodes come in; objects in the API server and sockets go out.
 */
@NullMarked
package io.numaledger.simulator.node;

import org.jspecify.annotations.NullMarked;
