/**
 * The command line: run, scheduler-config and the chart's test. Flags come in; results go to standard output, errors to standard error
 * with the exit status. The flags of {@code bridge run} are those of its parts, in package {@code run}.
 */
@NullMarked
package io.numaledger.bridge.cli;

import org.jspecify.annotations.NullMarked;
