package io.numaledger.apiservers.fake.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.status.FieldError;

import java.util.List;

/** Checks name, UID and resource version in the body of a write against the stored object. */
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
        boolean versionRequired =
                target.type().custom() || target.type().plural().equals("leases");
        if (given.resourceVersion().isEmpty() && versionRequired) {
            FieldError missing = FieldError.invalid("metadata.resourceVersion", "0", "must be specified for an update");
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
