/**
 * The kinds of objects that the server stores, and the metadata of one object.
 */
@NullMarked
package io.numaledger.apiservers.fake.resource;

import org.jspecify.annotations.NullMarked;
