/** kubectl, which connects and authenticates, and what it says. Its answers come out as JSON, its errors as exceptions. */
@NullMarked
package io.numaledger.kubectl.client;

import org.jspecify.annotations.NullMarked;
