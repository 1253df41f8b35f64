package io.numaledger.apiservers.fake.storage;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Optional;

/**
 * One write to the store. The objects are immutable.
 *
 * @param revision the revision of the store after the write, which is the resource version of the object
 * @param before the old object; empty for a creation
 * @param after the new object; empty for a deletion
 */
public record Change(long revision, ObjectKey key, Optional<ObjectNode> before, Optional<ObjectNode> after) {}
