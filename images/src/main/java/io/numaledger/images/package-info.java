/** The entry point for the steps that build images: creates its commands and nothing else. */
@NullMarked
package io.numaledger.images;

import org.jspecify.annotations.NullMarked;
