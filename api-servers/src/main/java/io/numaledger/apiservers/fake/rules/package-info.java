/**
 * Defaults and validation of objects, by kind. A rule gets the object before and after a write, fills in the fields that
 * the server decides, and returns the invalid fields.
 */
@NullMarked
package io.numaledger.apiservers.fake.rules;

import org.jspecify.annotations.NullMarked;
