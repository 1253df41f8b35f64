/**
 * Label selectors and field selectors. A request gives the text of the selectors and the namespace; a selection decides for
 * each object whether it matches.
 */
@NullMarked
package io.numaledger.apiservers.fake.selection;

import org.jspecify.annotations.NullMarked;
