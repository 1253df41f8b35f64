/**
 * Whether schedulers try the pods that name them, and whether they call the bridge. Pods come in; findings go out, for explanations, doctor
 * and metrics.
 */
@NullMarked
package io.numaledger.scheduling.scheduler;

import org.jspecify.annotations.NullMarked;
