/**
 * Scores nodes for prioritize. Decides by configurable criteria, in order, how good a placement leaves a node. The free
 * amounts of a node and the amounts that a pod takes come in; ranks and scores go out.
 */
@NullMarked
package io.numaledger.evaluation.score;

import org.jspecify.annotations.NullMarked;
