package io.numaledger.evaluation.cel;

import io.numaledger.evaluation.alignment.TestDevices;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class DeviceSelectorTest {

    private static final Device DEVICE = TestDevices.device(
            "vf-0",
            1,
            Map.of(
                    "vf.example.com/model", DeviceAttribute.ofString("x710"),
                    "vf.example.com/port", DeviceAttribute.ofInt(2),
                    "vf.example.com/odd", new DeviceAttribute(DeviceAttribute.Type.STRING, false, List.of()),
                    "vf.example.com/rdma", new DeviceAttribute(DeviceAttribute.Type.BOOL, false, List.of("true")),
                    "vf.example.com/firmware",
                            new DeviceAttribute(DeviceAttribute.Type.VERSION, false, List.of("1.2.3")),
                    "vf.example.com/nodes", new DeviceAttribute(DeviceAttribute.Type.INT, true, List.of("1", "0"))));

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
            device.driver == "vf.example.com"                                                 ; YES
            device.driver == 'gpu.example.com'                                                ; NO
            device.driver != "gpu.example.com"                                                ; YES
            "vf.example.com" == device.driver                                                 ; YES
            device.driver in ["a", "vf.example.com"]                                          ; YES
            device.driver in ["a", "b"]                                                       ; NO
            device.driver.startsWith("vf.")                                                   ; YES
            device.driver.matches("vf.*")                                                     ; COULD
            device.attributes["vf.example.com"].model == "x710"                               ; YES
            device.attributes["vf.example.com"]["model"] == "x710"                            ; YES
            device.attributes["vf.example.com"].model == "e810"                               ; NO
            device.attributes["vf.example.com"].model == 1                                    ; COULD
            device.attributes["vf.example.com"].model.endsWith("10")                          ; YES
            device.attributes["vf.example.com"].port == 2                                     ; YES
            device.attributes["vf.example.com"].odd == "x"                                    ; COULD
            "x".startsWith(device.attributes["vf.example.com"].odd)                           ; COULD
            "a".startsWith("a").startsWith("a").startsWith("a")                               ; COULD
            device.attributes["vf.example.com"].port >= 3                                     ; NO
            device.attributes["vf.example.com"].port > -1                                     ; YES
            device.attributes["vf.example.com"].port == 2.0                                   ; COULD
            device.attributes["vf.example.com"].port == 0x2                                   ; COULD
            device.attributes["vf.example.com"].port + 1 == 3                                 ; COULD
            device.attributes["vf.example.com"].rdma                                          ; YES
            !device.attributes["vf.example.com"].rdma                                         ; NO
            device.attributes["vf.example.com"].rdma == false                                 ; NO
            device.attributes["vf.example.com"].firmware == "1.2.3"                           ; COULD
            device.attributes["vf.example.com"].firmware.isGreaterThan(semver("1.0.0"))       ; COULD
            device.attributes["vf.example.com"].nodes.includes(0)                             ; YES
            device.attributes["vf.example.com"].nodes.includes(2)                             ; NO
            1 in device.attributes["vf.example.com"].nodes                                    ; YES
            device.attributes["resource.kubernetes.io"].numaNode == 1                         ; YES
            device.attributes["resource.kubernetes.io"].numaNode == 0                         ; NO
            device.attributes["vf.example.com"].vendor == "intel"                             ; NO
            device.attributes["vf.example.com"].vendor != "intel"                             ; NO
            !(device.attributes["vf.example.com"].vendor == "intel")                          ; NO
            "model" in device.attributes["vf.example.com"]                                    ; YES
            "vendor" in device.attributes["vf.example.com"]                                   ; NO
            "model" in device.attributes["gpu.example.com"]                                   ; NO
            !("vendor" in device.attributes["vf.example.com"])                                ; YES
            has(device.attributes["vf.example.com"].model)                                    ; YES
            has(device.attributes["vf.example.com"].vendor)                                   ; NO
            device.capacity["vf.example.com"].rate.compareTo(quantity("10Gi")) >= 0           ; YES
            device.capacity["vf.example.com"].rate.compareTo(quantity("101Gi")) >= 0          ; NO
            device.capacity["vf.example.com"].rate.isLessThan(quantity("1Ti"))                ; YES
            device.capacity["vf.example.com"].rate == quantity("102400Mi")                    ; YES
            device.capacity["vf.example.com"].other.compareTo(quantity("1")) >= 0             ; NO
            device.capacity["vf.example.com"].rate.compareTo(quantity("much")) >= 0           ; COULD
            device.allowMultipleAllocations                                                   ; NO
            device.allowMultipleAllocations == false                                          ; YES
            true                                                                              ; YES
            device.driver == "vf.example.com" && device.attributes["vf.example.com"].port == 2 ; YES
            device.driver == "vf.example.com" && device.attributes["vf.example.com"].port == 1 ; NO
            device.driver == "gpu.example.com" && device.driver.matches("x")                  ; NO
            device.driver.matches("x") && device.driver == "gpu.example.com"                  ; NO
            device.driver == "vf.example.com" && device.driver.matches("x")                   ; COULD
            device.driver == "gpu.example.com" || device.driver == "vf.example.com"           ; YES
            device.driver == "gpu.example.com" || device.driver.matches("x")                  ; COULD
            device.driver == "vf.example.com" || device.driver.matches("x")                   ; YES
            device.driver == "a" && true || true                                              ; YES
            device.driver == "a" && (true || true)                                            ; NO
            (device.driver == "vf.example.com") && (device.attributes["vf.example.com"].rdma) ; YES
            device.attributes["vf.example.com"].vendor == "a" || device.driver == "vf.example.com" ; YES
            device.attributes["vf.example.com"].vendor == "a" || device.driver == "a"         ; NO
            device.driver == "a" ? true : true                                                ; COULD
            cel.bind(a, device.attributes["vf.example.com"], a.port == 2)                     ; COULD
            device.driver == "vf.example.com" // && false                                     ; COULD
            device.driver == "vf\\u002eexample.com"                                           ; COULD
            device.driver == r"vf.example.com"                                                ; COULD
            ["a"].exists(x, x == "a")                                                         ; COULD
            device.driver == "vf.example.com" &&                                              ; COULD
            device.driver ==                                                                  ; COULD
            )                                                                                 ; COULD
            device                                                                            ; COULD
            device.driver                                                                     ; COULD
            !device.driver == "a"                                                             ; COULD
            device.driver == "a" == false                                                     ; COULD
            """)
    void evaluatesWhatIsSimple(String expression, Match expected) {
        assertThat(DeviceSelector.of(expression).matches(DEVICE)).isEqualTo(expected);
    }

    static Stream<String> odd() {
        return Stream.of(
                "",
                "!".repeat(10_000) + "true",
                "(".repeat(5_000) + "true" + ")".repeat(5_000),
                "[".repeat(5_000) + "]".repeat(5_000),
                "-".repeat(10_000),
                "true && ".repeat(1_000) + "device.driver.matches('x')",
                "true" + " ".repeat(10 << 10),
                "true == ".repeat(1_000) + "true",
                "9".repeat(10_000) + " == 1");
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("odd")
    void doesNotEvaluateWhatIsLongOrDeep(String expression) {
        assertThat(DeviceSelector.of(expression).matches(DEVICE)).isEqualTo(Match.COULD);
    }
}
