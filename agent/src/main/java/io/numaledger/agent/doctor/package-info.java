/**
 * The command {@code agent doctor}. Checks socket, hardware, rights and the kubelet's configuration. Each problem
 * becomes one finding that says what to do.
 */
@NullMarked
package io.numaledger.agent.doctor;

import org.jspecify.annotations.NullMarked;
