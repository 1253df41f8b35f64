/** JMH classes for single algorithms of the core, and the command that runs them. */
@NullMarked
package io.numaledger.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
