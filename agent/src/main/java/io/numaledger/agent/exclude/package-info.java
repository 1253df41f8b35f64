/**
 * What the agent does not publish: excluded resources, excluded pods, and renamed devices. Flags and a file that may
 * change at run time come in; one set of rules goes out.
 */
@NullMarked
package io.numaledger.agent.exclude;

import org.jspecify.annotations.NullMarked;
