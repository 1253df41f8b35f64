/**
 * Decodes HTTP requests of the Kubernetes API: the resource in the path, query parameters, the object in the body, and the
 * form of objects in a response. The result of a request is a {@code Response}. The log keeps all requests for
 * tests.
 */
@NullMarked
package io.numaledger.apiservers.fake.request;

import org.jspecify.annotations.NullMarked;
