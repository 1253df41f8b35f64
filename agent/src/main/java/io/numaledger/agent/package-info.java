/** The entry point of the agent: creates its commands and nothing else. */
@NullMarked
package io.numaledger.agent;

import org.jspecify.annotations.NullMarked;
