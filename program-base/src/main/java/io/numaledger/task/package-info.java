/** Work that a program does again and again, and the end of a program. */
@NullMarked
package io.numaledger.task;

import org.jspecify.annotations.NullMarked;
