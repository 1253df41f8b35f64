package io.numaledger.images.rootfs;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class ChartBridgeTest {

    private static final Path RENDERED = Path.of(System.getProperty("numaledger.root"))
            .resolve("scheduler-bridge/src/test/resources/chart/reconfigured.yaml");

    /** But for addresses and files, and for who issues the certificates. */
    @Test
    void hasTheArgumentsOfTheChart() throws IOException {
        Stream<String> chart = arguments(Files.readString(RENDERED))
                .flatMap(argument -> argument.startsWith("--issue-certificates=")
                        ? Stream.of("--tls-cert=", "--tls-key=", "--client-ca=")
                        : Stream.of(argument));

        List<String> arguments = ChartBridge.arguments(9443, 9444, "/tls");

        assertThat(arguments.stream().skip(1).map(ChartBridgeTest::withoutPlace))
                .containsExactlyElementsOf(
                        chart.map(ChartBridgeTest::withoutPlace).toList());
    }

    @Test
    void hasTheJavaFlagsOfTheImage() throws IOException {
        assertThat(ChartBridge.javaFlags())
                .contains("-XX:TieredStopAtLevel=1", "-XX:NewRatio=4", "-XX:MaxRAMPercentage=65")
                .allSatisfy(flag -> assertThat(flag).startsWith("-"));
    }

    private static Stream<String> arguments(String yaml) {
        return yaml.substring(yaml.indexOf("- --listen=0.0.0.0:9443"))
                .lines()
                .map(String::strip)
                .takeWhile(line -> line.startsWith("- --"))
                .map(line -> line.substring(2));
    }

    private static String withoutPlace(String argument) {
        return argument.replaceFirst("^(--(?:[a-z-]*listen|advertise-address|tls-cert|tls-key|client-ca)=).*", "$1");
    }
}
