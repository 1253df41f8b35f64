/** How answers are printed: as tables and documents, once or again when they change. */
@NullMarked
package io.numaledger.kubectl.output;

import org.jspecify.annotations.NullMarked;
