/** {@code kubectl numa rehearse}: its commands, and their answers as text. */
@NullMarked
package io.numaledger.kubectl.rehearse;

import org.jspecify.annotations.NullMarked;
