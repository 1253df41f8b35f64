/** The zones of the cluster in question. The bridge is asked for them through the API server, or a dump is read and evaluated here. */
@NullMarked
package io.numaledger.kubectl.zones;

import org.jspecify.annotations.NullMarked;
