/**
 * The certificate and key with which a program serves HTTPS. PEM files come in; an {@link javax.net.ssl.SSLContext} that always uses
 * their latest valid content goes out.
 */
@NullMarked
package io.numaledger.tls;

import org.jspecify.annotations.NullMarked;
