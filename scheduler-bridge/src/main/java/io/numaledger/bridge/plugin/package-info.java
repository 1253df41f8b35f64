/**
 * {@code kubectl numa}: views of the zones for users of kubectl. Flags come in; the aggregated API is asked through kubectl, with
 * kubectl's credentials, or a dump is read. The views are those of the bridge's own command line.
 */
@NullMarked
package io.numaledger.bridge.plugin;

import org.jspecify.annotations.NullMarked;
