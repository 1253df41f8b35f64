/**
 * Gangs: groups that kube-scheduler itself plans, PodGroups of {@code scheduling.k8s.io} with a gang policy, which it brings to
 * {@code filter} pod by pod. {@link io.numaledger.scheduling.gang.Gangs} gets the calls; {@link io.numaledger.scheduling.gang.GangPlanner} plans a
 * gang with the first filter call of an attempt; {@link io.numaledger.scheduling.gang.Gang} has the states of an attempt.
 */
@NullMarked
package io.numaledger.scheduling.gang;

import org.jspecify.annotations.NullMarked;
