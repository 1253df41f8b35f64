/** The commands that show nodes, pods and explanations. */
@NullMarked
package io.numaledger.kubectl.view;

import org.jspecify.annotations.NullMarked;
