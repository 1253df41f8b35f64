/**
 * Certificates: those with which a program serves HTTPS, in PEM files that may change while it runs; those of its clients; and an
 * authority that signs both where nobody else does.
 */
@NullMarked
package io.numaledger.tls;

import org.jspecify.annotations.NullMarked;
