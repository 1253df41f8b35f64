package io.numaledger.bridge.access;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A user or service account that Kubernetes has authenticated.
 *
 * @param uid may be empty
 * @param extra attributes of the authenticator, such as scopes
 */
public record Caller(String name, String uid, List<String> groups, SortedMap<String, List<String>> extra) {

    public Caller(String name, String uid, List<String> groups, Map<String, List<String>> extra) {
        this(name, uid, groups, new TreeMap<>(extra));
    }

    public Caller {
        groups = List.copyOf(groups);
        extra = Collections.unmodifiableSortedMap(new TreeMap<>(extra));
    }
}
