/**
 * What matters of Kubernetes objects: Pods, Nodes, groups and budgets, as immutable values. Package {@code wire} reads them.
 */
@NullMarked
package io.numaledger.evaluation.facts;

import org.jspecify.annotations.NullMarked;
