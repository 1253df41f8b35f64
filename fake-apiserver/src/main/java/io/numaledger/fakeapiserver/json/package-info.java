/**
 * JSON and YAML as trees of Jackson nodes: parsing, writing and equality.
 */
package io.numaledger.fakeapiserver.json;
