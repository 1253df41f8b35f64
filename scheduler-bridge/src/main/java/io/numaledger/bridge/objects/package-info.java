/**
 * Reads Kubernetes objects: what matters of Pods, Nodes and NodeResourceTopologies, and nothing else. Typed API
 * objects, JSON or dumps come in; immutable records go out.
 */
@NullMarked
package io.numaledger.bridge.objects;

import org.jspecify.annotations.NullMarked;
