/** How calls of the API server are made, whatever they are for. */
@NullMarked
package io.numaledger.bridge.client;

import org.jspecify.annotations.NullMarked;
