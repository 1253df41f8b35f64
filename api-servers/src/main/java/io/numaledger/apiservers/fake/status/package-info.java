/**
 * The {@code Status} object that reports the outcome of a request. Each refusal is an {@code ApiError} with the status code
 * and the message of kube-apiserver.
 */
@NullMarked
package io.numaledger.apiservers.fake.status;

import org.jspecify.annotations.NullMarked;
