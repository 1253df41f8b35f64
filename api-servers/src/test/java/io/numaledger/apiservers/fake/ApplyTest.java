package io.numaledger.apiservers.fake;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiservers.fake.ApiCalls.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

import static io.numaledger.apiservers.fake.ApiCalls.APPLY;
import static io.numaledger.apiservers.fake.ApiCalls.MERGE;
import static io.numaledger.apiservers.fake.SampleObjects.NRTS;
import static io.numaledger.apiservers.fake.SampleObjects.nrt;
import static io.numaledger.apiservers.fake.SampleObjects.zone;
import static org.assertj.core.api.Assertions.assertThat;

@ParameterizedClass(name = "{0}")
@EnumSource(ServerUnderTest.class)
class ApplyTest {

    @Parameter
    ServerUnderTest server;

    private ApiCalls api;
    private String name;

    @BeforeEach
    void nameOfOurOwn() {
        api = server.api();
        name = ServerUnderTest.freshName("n");
    }

    @Test
    void createsAMissingObject() {
        Reply created = apply("one", zones("8"));

        assertThat(created.code()).isEqualTo(201);
        assertThat(owners(created)).containsExactly("one Apply {\"f:zones\":{}}");
        assertThat(created.at("/metadata/generation").asLong()).isEqualTo(1);
    }

    @Test
    void applyingTheSameAgainIsNotStored() {
        Reply created = apply("one", zones("8"));

        Reply again = apply("one", zones("8"));

        assertThat(again.code()).isEqualTo(200);
        assertThat(again.body()).isEqualTo(created.body());
    }

    @Test
    void takesFieldsFromAnotherApplier() {
        apply("one", zones("8"));

        Reply forced = apply("two", zones("3"));

        assertThat(forced.code()).isEqualTo(200);
        assertThat(owners(forced)).containsExactly("two Apply {\"f:zones\":{}}");
    }

    @Test
    void takesFieldsFromAnUpdate() {
        api.post(NRTS, nrt(name, zones("8")));

        assertThat(owners(apply("two", zones("3")))).containsExactly("two Apply {\"f:zones\":{}}");
    }

    @Test
    void sharesAFieldThatBothSetToTheSameValue() {
        apply("one", zones("8"));

        Reply shared = apply("two", zones("8"));

        assertThat(shared.code()).isEqualTo(200);
        assertThat(owners(shared))
                .containsExactlyInAnyOrder("one Apply {\"f:zones\":{}}", "two Apply {\"f:zones\":{}}");
    }

    @Test
    void removesFieldsThatAreNoLongerApplied() {
        apply("one", withAnnotation("a", "1", zones("8") + ",\"attributes\":[{\"name\":\"x\",\"value\":\"y\"}]"));
        api.patch(path(), MERGE, "{\"metadata\":{\"annotations\":{\"b\":\"2\"}}}");

        Reply less = apply("one", zones("8"));

        assertThat(less.body().has("attributes")).isFalse();
        assertThat(less.at("/metadata/annotations").toString()).isEqualTo("{\"b\":\"2\"}");
        assertThat(less.at("/metadata/generation").asLong()).isEqualTo(2);
    }

    @Test
    void keepsFieldsThatAnotherManagerApplies() {
        apply("one", withAnnotation("a", "1", zones("8")));
        apply("two", withAnnotation("a", "1", zones("8")));

        Reply less = apply("one", zones("8"));

        assertThat(less.at("/metadata/annotations/a").asText()).isEqualTo("1");
    }

    @Test
    void anUpdateTakesTheFieldFromItsApplier() {
        apply("one", withAnnotation("a", "1", zones("8")));

        Reply updated = api.patch(path(), MERGE, "{\"zones\":[]}");

        assertThat(owners(updated))
                .containsExactly(
                        "one Apply {\"f:metadata\":{\"f:annotations\":{\"f:a\":{}}}}",
                        "contract Update {\"f:zones\":{}}");
    }

    @Test
    void refusesAnInvalidApply() {
        assertThat(api.patch(path(), APPLY, nrt(name, zones("8"))).message())
                .isEqualTo(
                        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
        assertThat(apply("one", zones("8")).code()).isEqualTo(201);
        assertThat(api.patch(path() + "?force=true&fieldManager=one", APPLY, nrt("other", zones("8")))
                        .message())
                .isEqualTo("the name of the object (other) does not match the name on the URL (" + name + ")");
        assertThat(api.patch(
                                path() + "?force=true&fieldManager=one",
                                APPLY,
                                nrt(name, zones("8")).replace("\"metadata\":{", "\"metadata\":{\"uid\":\"z\","))
                        .code())
                .isEqualTo(422);
    }

    private String path() {
        return NRTS + "/" + name;
    }

    private Reply apply(String manager, String rest) {
        String body = nrt(name, rest);
        if (rest.startsWith("@")) {
            int end = rest.indexOf('@', 1);
            body = nrt(name, rest.substring(end + 1))
                    .replace("\"metadata\":{", "\"metadata\":{" + rest.substring(1, end));
        }
        return api.patch(path() + "?force=true&fieldManager=" + manager, APPLY, body);
    }

    private static String withAnnotation(String key, String value, String rest) {
        return "@\"annotations\":{\"%s\":\"%s\"},@%s".formatted(key, value, rest);
    }

    private static String zones(String available) {
        return "\"zones\":[%s]".formatted(zone("node-0", available));
    }

    private static List<String> owners(Reply reply) {
        List<String> owners = new ArrayList<>();
        for (JsonNode each : reply.at("/metadata/managedFields")) {
            owners.add("%s %s %s"
                    .formatted(
                            each.path("manager").asText(),
                            each.path("operation").asText(),
                            each.path("fieldsV1")));
        }
        return owners;
    }
}
