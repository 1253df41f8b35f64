/** Resource names and quantities, as Kubernetes spells them, and the kubelet manager that each resource belongs to. */
@NullMarked
package io.numaledger.resource;

import org.jspecify.annotations.NullMarked;
