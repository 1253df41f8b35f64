/**
 * The kinds of objects that the server stores, and the metadata of one object. The catalog knows the built-in kinds; a
 * custom resource definition adds a kind to it.
 */
@NullMarked
package io.numaledger.fakeapiserver.resource;

import org.jspecify.annotations.NullMarked;
