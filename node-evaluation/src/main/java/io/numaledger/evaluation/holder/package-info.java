/**
 * Who holds resources of a node, and what a reader may be told about it. Pods are values until text is written for a reader, so that no
 * text has to be searched for names.
 */
@NullMarked
package io.numaledger.evaluation.holder;

import org.jspecify.annotations.NullMarked;
