package io.numaledger.fakeapiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.json.JsonEquality;
import io.numaledger.fakeapiserver.json.JsonText;
import io.numaledger.fakeapiserver.resource.ObjectMeta;
import io.numaledger.fakeapiserver.schema.FieldError;

import java.util.List;

/** Rules of custom resource definitions. A valid definition is established at once. */
final class DefinitionRules implements ObjectRules {

    @Override
    public void prepareCreate(ObjectNode object) {
        ObjectMeta.of(object).setGeneration(1);
        ObjectNode status = object.putObject("status");
        ArrayNode conditions = status.putArray("conditions");
        conditions.add(condition("NamesAccepted", "NoConflicts", "no conflicts found"));
        conditions.add(condition("Established", "InitialNamesAccepted", "the initial names have been accepted"));
        status.set("acceptedNames", object.path("spec").path("names").deepCopy());
        ArrayNode stored = status.putArray("storedVersions");
        for (JsonNode version : object.path("spec").path("versions")) {
            if (version.path("storage").asBoolean()) {
                stored.add(version.path("name").asText());
            }
        }
    }

    @Override
    public void prepareUpdate(ObjectNode before, ObjectNode after) {
        ObjectRules.keep("status", before, after);
        boolean same = JsonEquality.same(before.path("spec"), after.path("spec"));
        ObjectMeta.of(after).setGeneration(ObjectMeta.read(before).generation() + (same ? 0 : 1));
    }

    @Override
    public List<FieldError> validate(ObjectNode before, ObjectNode after) {
        JsonNode spec = after.path("spec");
        String expected = spec.path("names").path("plural").asText() + "."
                + spec.path("group").asText();
        String name = ObjectMeta.read(after).name();
        return name.equals(expected)
                ? List.of()
                : List.of(FieldError.invalid(
                        "metadata.name", "\"" + name + "\"", "must be spec.names.plural+\".\"+spec.group"));
    }

    private static ObjectNode condition(String type, String reason, String message) {
        return JsonText.object()
                .put("type", type)
                .put("status", "True")
                .put("reason", reason)
                .put("message", message);
    }
}
