/**
 * Groups of pods that run together or not at all. Decides whether a group fits as a whole, on which node each of its pods is to run,
 * and for how long the nodes are kept for them. Members and nodes come in; plans go out.
 */
@NullMarked
package io.numaledger.bridge.group;

import org.jspecify.annotations.NullMarked;
