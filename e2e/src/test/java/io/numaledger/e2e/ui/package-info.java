/** Tests of {@code kubectl numa ui} on a large cluster. */
package io.numaledger.e2e.ui;
