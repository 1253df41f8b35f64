/**
 * Measured processes: the agent with the Java flags of its chart, and the memory, CPU time, threads and files of any process as the
 * operating system counts them.
 */
@NullMarked
package io.numaledger.benchmarks.process;

import org.jspecify.annotations.NullMarked;
