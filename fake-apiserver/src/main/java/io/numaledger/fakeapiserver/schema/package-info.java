/**
 * Structural schemas of custom resources. A schema removes the unknown fields of an object and returns the errors of the
 * other fields.
 */
@NullMarked
package io.numaledger.fakeapiserver.schema;

import org.jspecify.annotations.NullMarked;
