/**
 * The annotations of pods: observed placement, exact allocation, and the texts that KAI Scheduler reads. Decides which
 * pods' annotations must be written or removed. Placements of a node's pods and their present annotations come in;
 * patches go out.
 */
@NullMarked
package io.numaledger.annotation;

import org.jspecify.annotations.NullMarked;
