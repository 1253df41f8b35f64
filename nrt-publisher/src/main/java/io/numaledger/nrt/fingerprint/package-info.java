/**
 * The fingerprint of a node's pods, in the form that resource-topology-exporter and scheduler-plugins use. Names of
 * pods come in; a short text goes out. Two observers with equal fingerprints saw the same pods.
 */
@NullMarked
package io.numaledger.nrt.fingerprint;

import org.jspecify.annotations.NullMarked;
