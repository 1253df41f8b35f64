/**
 * The programs' implementation of SLF4J: one line per event on standard error, as key=value or as JSON. It has no
 * configuration files, so that the agent starts quickly and stays small.
 */
@NullMarked
package io.numaledger.logging;

import org.jspecify.annotations.NullMarked;
