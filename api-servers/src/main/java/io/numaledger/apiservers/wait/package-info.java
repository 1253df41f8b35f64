/** Waits whose limits scale with the load of the machine. */
@NullMarked
package io.numaledger.apiservers.wait;

import org.jspecify.annotations.NullMarked;
