package io.numaledger.fakeapiserver.access;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** The permissions of users. Everything is allowed that no test has denied. */
public final class AccessRules {

    /**
     * One action of a user on a resource.
     *
     * @param verb get, list, watch, create, update, patch, delete or deletecollection
     * @param resource the plural, and the subresource if there is one, such as {@code pods/status}
     * @param namespace empty for all namespaces, and for cluster-scoped objects
     * @param name empty for all objects
     */
    public record Action(String user, String verb, String group, String resource, String namespace, String name) {

        String refusal() {
            String where = namespace.isEmpty() ? "at the cluster scope" : "in the namespace \"" + namespace + "\"";
            return "User \"%s\" cannot %s resource \"%s\" in API group \"%s\" %s"
                    .formatted(user, verb, resource, group, where);
        }
    }

    private final List<Predicate<Action>> denials = new CopyOnWriteArrayList<>();

    /** Denies a verb on a resource to all users. */
    public void deny(String verb, String resource) {
        deny(action -> action.verb().equals(verb) && action.resource().equals(resource));
    }

    public void deny(Predicate<Action> denied) {
        denials.add(denied);
    }

    /** Removes all denials. */
    public void allowAll() {
        denials.clear();
    }

    public boolean allows(Action action) {
        return denials.stream().noneMatch(denied -> denied.test(action));
    }
}
