/**
 * Evaluates one pod on many nodes. Decides for each node whether a cached result, the fast path or the full kubelet
 * model answers, and splits the nodes among threads. Node names and a pod come in; one evaluation per node goes out.
 */
@NullMarked
package io.numaledger.scheduling.batch;

import org.jspecify.annotations.NullMarked;
