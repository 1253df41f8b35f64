/**
 * Calls to the kubelet beyond podresources: its configuration from {@code /configz}, the certificate that it must
 * present, and the rate limit of all calls.
 */
@NullMarked
package io.numaledger.agent.kubelet;

import org.jspecify.annotations.NullMarked;
