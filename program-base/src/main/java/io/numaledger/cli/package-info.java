/**
 * Command-line types and text tables that all programs use. Texts of flags come in, values go out; rows of cells come in, aligned
 * lines go out.
 */
@NullMarked
package io.numaledger.cli;

import org.jspecify.annotations.NullMarked;
