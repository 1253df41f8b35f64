/**
 * Gangs: groups that kube-scheduler itself plans, PodGroups of {@code scheduling.k8s.io} with a gang policy, which it brings to
 * {@code filter} pod by pod. {@link io.numaledger.bridge.gang.Gangs} gets the calls; {@link io.numaledger.bridge.gang.GangPlanner} plans a
 * gang with the first filter call of an attempt; {@link io.numaledger.bridge.gang.Gang} has the states of an attempt.
 */
@NullMarked
package io.numaledger.bridge.gang;

import org.jspecify.annotations.NullMarked;
