/**
 * Selectors of devices, expressions in the Common Expression Language (CEL), as far as they are simple. What is not understood is said to be
 * so, and never guessed.
 */
@NullMarked
package io.numaledger.evaluation.cel;

import org.jspecify.annotations.NullMarked;
