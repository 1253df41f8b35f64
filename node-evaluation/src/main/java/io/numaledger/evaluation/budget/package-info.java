/**
 * How much work one call may cause. Every search of a call spends from the call's budget; a pod that is costly to evaluate spends its own part
 * of it. Counted in units, so that results do not depend on the speed of a machine.
 */
@NullMarked
package io.numaledger.evaluation.budget;

import org.jspecify.annotations.NullMarked;
