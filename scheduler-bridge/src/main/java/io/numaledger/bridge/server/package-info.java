/**
 * An HTTP server with limits on bodies, threads, connections and time, and with a certificate that is reloaded when its
 * files change. Routes come in; it calls them with requests and sends their answers.
 */
@NullMarked
package io.numaledger.bridge.server;

import org.jspecify.annotations.NullMarked;
