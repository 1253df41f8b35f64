/**
 * The bridge's own HTTP API: free amounts, holders, and explanations as JSON. Requests come in as paths and bodies;
 * answers are JSON documents that the OpenAPI document describes. A client of the same API is here, too.
 */
@NullMarked
package io.numaledger.bridge.api;

import org.jspecify.annotations.NullMarked;
