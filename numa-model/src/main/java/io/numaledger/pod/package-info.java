/** The resource requests of pods. Values read from Pod objects come in; the kubelet model and the fast path evaluate them. */
@NullMarked
package io.numaledger.pod;

import org.jspecify.annotations.NullMarked;
