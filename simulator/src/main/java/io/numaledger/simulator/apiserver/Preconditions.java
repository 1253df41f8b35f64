package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.apiserver.ApiError.Cause;

import java.util.List;

/** What a write says about the object that it means: its name, its UID, its version. */
final class Preconditions {

    private Preconditions() {}

    static void checkName(Target target, ObjectNode object) {
        String name = ObjectMeta.read(object).name();
        if (!name.equals(target.name())) {
            throw ApiError.badRequest("the name of the object (%s) does not match the name on the URL (%s)"
                    .formatted(name, target.name()));
        }
    }

    static void check(Target target, ObjectMeta given, ObjectMeta present) {
        if (!given.uid().isEmpty() && !given.uid().equals(present.uid())) {
            throw ApiError.conflict(
                    target.type(),
                    target.type().plural(),
                    target.name(),
                    target.key().uidMismatch(given.uid(), present.uid()));
        }
        boolean mustTell = target.type().isCustom() || target.type().plural().equals("leases");
        if (given.resourceVersion().isEmpty() && mustTell) {
            Cause missing = Cause.invalid("metadata.resourceVersion", "0", "must be specified for an update");
            throw ApiError.invalid(target.type(), target.type().plural(), target.name(), List.of(missing));
        }
        checkVersion(target, given.resourceVersion(), present);
    }

    static void checkVersion(Target target, String given, ObjectMeta present) {
        if (!given.isEmpty() && !given.equals(present.resourceVersion())) {
            throw ApiError.modified(target.type(), target.name());
        }
    }
}
