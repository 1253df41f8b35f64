/**
 * Manifests of pods and workloads. Text comes in; pods go out as the API server would store them, or what it would refuse, in its words.
 */
@NullMarked
package io.numaledger.kubectl.manifest;

import org.jspecify.annotations.NullMarked;
