/** Work that a program does again and again. */
@NullMarked
package io.numaledger.task;

import org.jspecify.annotations.NullMarked;
