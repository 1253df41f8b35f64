/**
 * Reads what matters of Kubernetes objects: as the API server sends them, of manifests, and of dumps. Typed API objects, JSON and YAML come
 * in; values of {@code evaluation.facts} go out. No other package of the prediction knows a type of the Kubernetes API.
 */
@NullMarked
package io.numaledger.objects;

import org.jspecify.annotations.NullMarked;
