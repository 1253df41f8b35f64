/** The entry point of the benchmarks: creates its commands and nothing else. */
@NullMarked
package io.numaledger.benchmarks;

import org.jspecify.annotations.NullMarked;
