/**
 * {@code kubectl numa ui}: a page for a browser on this machine, and reports as one file. What the other commands print comes in as JSON;
 * the page's own modules draw it.
 */
@NullMarked
package io.numaledger.kubectl.ui;

import org.jspecify.annotations.NullMarked;
