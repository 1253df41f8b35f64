/**
 * JSON and YAML as trees of Jackson nodes: parsing, writing and equality.
 */
@NullMarked
package io.numaledger.apiservers.fake.json;

import org.jspecify.annotations.NullMarked;
