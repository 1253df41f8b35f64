/**
 * The HTTP extender of kube-scheduler: filter, prioritize, preempt and bind. Decides which nodes stay, how good they are, which
 * victims free zones, and whether a bind is still valid. Requests come in as JSON (k8s.io/kube-scheduler, extender/v1); answers
 * go out as JSON, and decisions to a listener.
 */
@NullMarked
package io.numaledger.bridge.extender;

import org.jspecify.annotations.NullMarked;
