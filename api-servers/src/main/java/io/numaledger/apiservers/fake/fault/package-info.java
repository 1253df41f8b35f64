/**
 * Faults that tests inject: error responses, delays, dropped connections and cut watches. A fault applies to the requests
 * that a predicate selects.
 */
@NullMarked
package io.numaledger.apiservers.fake.fault;

import org.jspecify.annotations.NullMarked;
