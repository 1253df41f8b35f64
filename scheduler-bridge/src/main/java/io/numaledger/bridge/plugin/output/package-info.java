/** How answers are printed: as tables and documents, once or again when they change. */
@NullMarked
package io.numaledger.bridge.plugin.output;

import org.jspecify.annotations.NullMarked;
