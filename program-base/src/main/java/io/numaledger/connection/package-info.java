/** Connections to the programs' servers: how many callers may have open, and TLS. */
@NullMarked
package io.numaledger.connection;

import org.jspecify.annotations.NullMarked;
