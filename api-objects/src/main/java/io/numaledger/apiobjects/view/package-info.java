/**
 * Nodes and explanations as people and programs read them: the objects of the API group {@code numaledger.io}, the table of its nodes, and
 * text. The bridge serves them, and {@code kubectl numa} prints them.
 */
@NullMarked
package io.numaledger.apiobjects.view;

import org.jspecify.annotations.NullMarked;
