/**
 * Client of the kubelet's podresources API (gRPC over a unix socket). The kubelet's messages come in; the values of
 * {@code io.numaledger.placement} go out. No other package knows the messages.
 */
@NullMarked
package io.numaledger.podresources;

import org.jspecify.annotations.NullMarked;
