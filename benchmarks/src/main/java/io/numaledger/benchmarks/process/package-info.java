/**
 * Measured processes: agent and bridge as the chart runs them, kube-scheduler, and the memory, CPU time, threads and files of any
 * process as the operating system counts them.
 */
@NullMarked
package io.numaledger.benchmarks.process;

import org.jspecify.annotations.NullMarked;
