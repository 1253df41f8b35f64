/** What the kubelet would answer to a pod, and why. */
@NullMarked
package io.numaledger.kubelet.admission;

import org.jspecify.annotations.NullMarked;
