/** Figures of measured values: percentiles. Values come in; numbers and parts of a line go out. */
@NullMarked
package io.numaledger.benchmarks.figures;

import org.jspecify.annotations.NullMarked;
