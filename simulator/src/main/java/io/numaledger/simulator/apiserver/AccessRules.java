package io.numaledger.simulator.apiserver;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** Who may do what. All is allowed until a test takes it away. */
public final class AccessRules {

    /**
     * One thing that a user wants to do.
     *
     * @param verb get, list, watch, create, update, patch, delete or deletecollection
     * @param resource the plural, with its subresource if any, such as {@code pods/status}
     * @param namespace empty for all namespaces, and for objects of the cluster
     * @param name empty for all
     */
    public record Action(String user, String verb, String group, String resource, String namespace, String name) {

        String refusal() {
            String where = namespace.isEmpty() ? "at the cluster scope" : "in the namespace \"" + namespace + "\"";
            return "User \"%s\" cannot %s resource \"%s\" in API group \"%s\" %s"
                    .formatted(user, verb, resource, group, where);
        }
    }

    private final List<Predicate<Action>> denials = new CopyOnWriteArrayList<>();

    /** Takes this verb on this resource from everybody. */
    public void deny(String verb, String resource) {
        deny(action -> action.verb().equals(verb) && action.resource().equals(resource));
    }

    public void deny(Predicate<Action> denied) {
        denials.add(denied);
    }

    /** Gives everything back. */
    public void allowAll() {
        denials.clear();
    }

    public boolean allows(Action action) {
        return denials.stream().noneMatch(denied -> denied.test(action));
    }
}
