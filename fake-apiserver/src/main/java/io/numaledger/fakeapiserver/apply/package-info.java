/**
 * Server-side apply and {@code metadata.managedFields}: which manager owns which field.
 */
@NullMarked
package io.numaledger.fakeapiserver.apply;

import org.jspecify.annotations.NullMarked;
