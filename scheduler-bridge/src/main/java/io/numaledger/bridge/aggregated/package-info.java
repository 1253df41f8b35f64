/** The API group {@code numaledger.io}: what kube-apiserver's aggregation layer passes on, and kubectl prints. */
@NullMarked
package io.numaledger.bridge.aggregated;

import org.jspecify.annotations.NullMarked;
