/**
 * The command line: run, explain, nodes and scheduler-config. Flags come in; results go to standard output, errors to
 * standard error with the exit status.
 */
@NullMarked
package io.numaledger.bridge.cli;

import org.jspecify.annotations.NullMarked;
