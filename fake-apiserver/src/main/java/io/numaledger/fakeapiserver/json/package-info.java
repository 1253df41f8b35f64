/**
 * JSON and YAML as trees of Jackson nodes: parsing, writing and equality.
 */
@NullMarked
package io.numaledger.fakeapiserver.json;

import org.jspecify.annotations.NullMarked;
