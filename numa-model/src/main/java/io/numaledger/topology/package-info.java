/**
 * The hardware topology of a machine: NUMA nodes, CPUs with their cores, sockets and caches, and sets of both. The
 * probes of the agent and the bridge's readers create these values; the kubelet model reads them.
 */
@NullMarked
package io.numaledger.topology;

import org.jspecify.annotations.NullMarked;
