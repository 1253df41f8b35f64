/**
 * The maximum NUMA spread that a pod's annotation sets. Decides whether a placement exceeds it. Annotations and
 * placements come in; violations go out as sentences.
 */
@NullMarked
package io.numaledger.evaluation.spread;

import org.jspecify.annotations.NullMarked;
