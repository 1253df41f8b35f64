/**
 * The links that a pod's annotations demand of its GPUs. Decides whether the GPUs that the kubelet may give to it have them.
 * Annotations, GPU topologies and placements come in; violations go out as sentences.
 */
@NullMarked
package io.numaledger.evaluation.link;

import org.jspecify.annotations.NullMarked;
