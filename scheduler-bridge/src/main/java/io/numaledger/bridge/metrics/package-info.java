/**
 * The Prometheus metrics of the bridge. Counts come in from the other packages; the text format goes out.
 */
@NullMarked
package io.numaledger.bridge.metrics;

import org.jspecify.annotations.NullMarked;
