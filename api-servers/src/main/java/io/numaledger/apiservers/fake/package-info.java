/**
 * A Kubernetes API server in memory, for tests and for the demo. {@link io.numaledger.apiservers.fake.EmbeddedApiServer}
 * starts it and gives access to everything that a test controls: injected faults ({@code fault}), such as a missing
 * permission, and the log of requests ({@code request}). The same test cases run against this server and against a
 * real kube-apiserver.
 */
@NullMarked
package io.numaledger.apiservers.fake;

import org.jspecify.annotations.NullMarked;
