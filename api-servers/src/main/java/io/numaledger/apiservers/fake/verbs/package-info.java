/**
 * The verbs of the API except watch: get, list, create, update, patch, delete, deletecollection, and the subresources of
 * pods. A verb takes a request and its target, reads or changes the store, and returns a response.
 */
@NullMarked
package io.numaledger.apiservers.fake.verbs;

import org.jspecify.annotations.NullMarked;
