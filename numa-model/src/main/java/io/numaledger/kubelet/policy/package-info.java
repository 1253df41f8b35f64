/** The Topology Manager's policies: which merged hint is good enough to admit. */
@NullMarked
package io.numaledger.kubelet.policy;

import org.jspecify.annotations.NullMarked;
