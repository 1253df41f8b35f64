/**
 * A running bridge. Flags come in, each declared by the part that reads it; {@code Bridge} builds the parts, starts and
 * closes them. Decisions go out as events, metrics and log lines.
 */
@NullMarked
package io.numaledger.bridge.run;

import org.jspecify.annotations.NullMarked;
