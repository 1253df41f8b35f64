/** What a pod asks for. */
@NullMarked
package io.numaledger.pod;

import org.jspecify.annotations.NullMarked;
