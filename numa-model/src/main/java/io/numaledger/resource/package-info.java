/** Resource names and quantities, as Kubernetes spells them, and the kubelet manager that each resource belongs to. */
package io.numaledger.resource;
