package io.numaledger.fakeapiserver.apply;

/**
 * The owner of one {@code managedFields} entry.
 *
 * @param name the name of the manager
 * @param apply true for the operation Apply, false for Update
 * @param apiVersion the API version of the write, such as {@code v1}
 * @param subresource {@code status}, or empty for the object itself
 */
public record FieldManager(String name, boolean apply, String apiVersion, String subresource)
        implements Comparable<FieldManager> {

    public FieldManager {
        if (name.isBlank()) {
            throw new IllegalArgumentException(
                    "a field manager has no name: apiVersion=%s; give it one".formatted(apiVersion));
        }
    }

    String operation() {
        return apply ? "Apply" : "Update";
    }

    @Override
    public int compareTo(FieldManager other) {
        int byOperation = operation().compareTo(other.operation());
        int byName = byOperation != 0 ? byOperation : name.compareTo(other.name);
        int byVersion = byName != 0 ? byName : apiVersion.compareTo(other.apiVersion);
        return byVersion != 0 ? byVersion : subresource.compareTo(other.subresource);
    }

    /** The manager as in conflict messages. */
    @Override
    public String toString() {
        String shown = "\"" + name + "\"";
        if (!subresource.isEmpty()) {
            shown += " with subresource \"" + subresource + "\"";
        }
        return apply ? shown : shown + " using " + apiVersion;
    }
}
