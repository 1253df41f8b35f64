/**
 * What a change of kubelets, a drain, or more or fewer nodes would do to the pods of a cluster. In: the state of the cluster, and what is to be
 * done. Out: what becomes of each pod, and how much room there is before and afterwards. Nothing is changed; the kubelet's model, the search for
 * room and the disruption budgets are those that decide for real.
 */
@NullMarked
package io.numaledger.scheduling.rehearsal;

import org.jspecify.annotations.NullMarked;
