package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Optional;

/**
 * One write to the store. The objects are never changed afterwards.
 *
 * @param revision of the store after the write; the resourceVersion of the object
 * @param before empty for a creation
 * @param after empty for a deletion
 */
record Change(long revision, ObjectKey key, Optional<ObjectNode> before, Optional<ObjectNode> after) {}
