/**
 * The NodeResourceTopology object: its content, its JSON form, and when it must be written. Observed hardware,
 * allocations and kubelet settings come in; one object per node goes out, and only if it differs from the stored one.
 */
@NullMarked
package io.numaledger.nrt;

import org.jspecify.annotations.NullMarked;
