/** Certificates that the bridge issues itself, for clusters without cert-manager. */
@NullMarked
package io.numaledger.bridge.certificate;

import org.jspecify.annotations.NullMarked;
