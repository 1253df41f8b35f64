/**
 * A node with what its pods hold, as {@code sim up} simulates and {@code sim replay} judges it. Values of the kubelet's model and audited
 * predictions come in; node YAML and recorded decisions go out, as JSON.
 */
@NullMarked
package io.numaledger.apiobjects.recording;

import org.jspecify.annotations.NullMarked;
