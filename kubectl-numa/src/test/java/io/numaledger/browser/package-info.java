/** The page of {@code kubectl numa ui} in a real browser, for tests of this module and of those below. */
package io.numaledger.browser;
