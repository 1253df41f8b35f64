/** The commands that show nodes, pods and explanations. */
@NullMarked
package io.numaledger.bridge.plugin.view;

import org.jspecify.annotations.NullMarked;
