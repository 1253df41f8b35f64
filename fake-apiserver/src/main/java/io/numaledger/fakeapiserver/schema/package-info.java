/**
 * Structural schemas of custom resources. A schema removes the unknown fields of an object and returns the errors of the
 * other fields.
 */
package io.numaledger.fakeapiserver.schema;
