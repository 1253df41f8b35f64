/**
 * The patch formats without field ownership: JSON patch, JSON merge patch and strategic merge patch. Each takes an object
 * and the body of a patch, and returns the patched object.
 */
@NullMarked
package io.numaledger.apiservers.fake.patch;

import org.jspecify.annotations.NullMarked;
