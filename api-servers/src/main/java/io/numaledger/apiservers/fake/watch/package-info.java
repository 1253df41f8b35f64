/**
 * The verb watch. A watch is a stream of events from the changes in the store, with initial events, bookmarks, selectors
 * and a timeout.
 */
@NullMarked
package io.numaledger.apiservers.fake.watch;

import org.jspecify.annotations.NullMarked;
