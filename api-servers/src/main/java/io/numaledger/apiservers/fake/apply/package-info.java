/**
 * Server-side apply and {@code metadata.managedFields}: which manager owns which field.
 */
@NullMarked
package io.numaledger.apiservers.fake.apply;

import org.jspecify.annotations.NullMarked;
