/**
 * The HTTP side of the server. Turns an HTTP exchange into a request, injects faults, routes the request to its verb, and
 * writes the response.
 */
@NullMarked
package io.numaledger.apiservers.fake.http;

import org.jspecify.annotations.NullMarked;
