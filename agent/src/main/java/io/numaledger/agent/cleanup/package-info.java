/**
 * The command {@code agent cleanup}. Finds the annotations and NodeResourceTopology objects that agents wrote, and
 * removes them.
 */
@NullMarked
package io.numaledger.agent.cleanup;

import org.jspecify.annotations.NullMarked;
