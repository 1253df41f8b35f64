/** Time that does not jump. */
@NullMarked
package io.numaledger.clock;

import org.jspecify.annotations.NullMarked;
