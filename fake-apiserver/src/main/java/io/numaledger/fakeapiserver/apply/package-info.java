/**
 * Server-side apply and {@code metadata.managedFields}. Decides which manager owns which field, merges an applied
 * configuration into an object, and reports conflicts with other managers.
 */
@NullMarked
package io.numaledger.fakeapiserver.apply;

import org.jspecify.annotations.NullMarked;
