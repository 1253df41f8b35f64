/**
 * The GPU topology in the annotations of a Node: its text form, and when it must be written. GPUs and their links come
 * in; annotations go out.
 */
@NullMarked
package io.numaledger.nrt.gpu;

import org.jspecify.annotations.NullMarked;
