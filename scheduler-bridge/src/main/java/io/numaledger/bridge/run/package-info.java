/**
 * A running bridge: builds all parts from the settings, starts them, and reports decisions as events, metrics and log
 * lines.
 */
@NullMarked
package io.numaledger.bridge.run;

import org.jspecify.annotations.NullMarked;
