/** The kubelet's configuration as far as it decides placements, and the check that the kubelet itself makes of it at its start. */
@NullMarked
package io.numaledger.kubelet.config;

import org.jspecify.annotations.NullMarked;
