/** Text of others, as it may be shown: without control characters, and with the name that was probably meant. */
@NullMarked
package io.numaledger.text;

import org.jspecify.annotations.NullMarked;
