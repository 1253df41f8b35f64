/**
 * {@code kubectl numa}: views of the zones for users of kubectl. Flags come in; the aggregated API is asked through kubectl, with kubectl's
 * credentials, or a dump is read and evaluated here.
 */
@NullMarked
package io.numaledger.kubectl;

import org.jspecify.annotations.NullMarked;
