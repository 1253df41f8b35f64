/**
 * GPUs and the links between them. Decides which free GPUs form the best connected set of a given size. A link matrix
 * comes in; a set of GPU indexes with its score goes out.
 */
@NullMarked
package io.numaledger.gpu;

import org.jspecify.annotations.NullMarked;
