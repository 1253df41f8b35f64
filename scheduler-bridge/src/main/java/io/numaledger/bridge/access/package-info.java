/** Who may call the bridge, and what each caller may see. */
@NullMarked
package io.numaledger.bridge.access;

import org.jspecify.annotations.NullMarked;
