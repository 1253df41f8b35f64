package io.numaledger.kubectl;

import io.numaledger.cli.Colours;
import io.numaledger.kubectl.client.Surroundings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import static org.assertj.core.api.Assertions.assertThat;

/** Claims in the views, as a bridge answers them. In place of kubectl, a script prints the answers. */
class ClaimViewsTest {

    private static final String NODES = """
            {"items": [{"status": {"node": "n", "ready": true, "confidence": "exact", "topologyManagerPolicy": "restricted",
              "zones": [{"zone": "node-0", "free": {"cpu": "0"}, "allocatable": {"cpu": "4"}},
                {"zone": "node-1", "free": {"cpu": "4"}, "allocatable": {"cpu": "4"}}],
              "draDevices": [{"driver": "vf.example.com", "zone": "node-0", "claimed": 1, "free": 3},
                {"driver": "vf.example.com", "zone": "node-1", "claimed": 0, "free": 4}],
              "pods": [
                {"pod": "default/a", "source": "observed", "terminating": false,
                 "placement": [{"zone": "node-0", "amount": {"cpu": "2"}}],
                 "claims": {"alignment": "aligned",
                   "devices": [{"claim": "c", "driver": "vf.example.com", "pool": "n", "device": "vf-0", "zones": ["node-0"]}]}},
                {"pod": "default/b", "source": "observed", "terminating": false,
                 "placement": [{"zone": "node-0", "amount": {"cpu": "2"}}]},
                {"pod": "default/c", "source": "claims", "terminating": false, "placement": [],
                 "claims": {"alignment": "unknown", "text": "because", "devices": [], "devicesLeftOut": 0}}]}}]}
            """;

    private static final String EXPLANATION = """
            {"status": {"nodes": [{"node": "n", "fits": true, "schedulable": true, "reason": null, "message": "", "advice": "",
              "confidence": "exact", "placement": [{"zone": "node-0", "amount": {"cpu": "2"}}],
              "claims": {"alignment": "not-aligned", "text": "CPUs would come from node-0; free devices of class vf: none"}},
             {"node": "m", "fits": false, "schedulable": false, "reason": "ClaimsNotAligned", "advice": "", "confidence": "exact",
              "message": "the same sentence", "claims": {"alignment": "not-aligned", "text": "the same sentence"}}]}}
            """;

    @TempDir
    private Path directory;

    private Path kubectl;

    @BeforeEach
    void writeTheScript() throws IOException {
        Files.writeString(directory.resolve("nodes.json"), NODES);
        Files.writeString(directory.resolve("explanation.json"), EXPLANATION);
        kubectl = Files.writeString(directory.resolve("kubectl"), """
                #!/bin/sh
                case "$*" in
                *numanodes*) exec cat '%1$s/nodes.json' ;;
                *explanations*) cat > /dev/null; exec cat '%1$s/explanation.json' ;;
                esac
                """.formatted(directory));
        Files.setPosixFilePermissions(kubectl, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String run(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine line = PluginCommand.commandLine(new Surroundings(kubectl.toString(), Colours.NONE));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        return line.execute(arguments) + "\n" + out;
    }

    @Test
    void nodesHaveAColumnForFreeDevices() {
        assertThat(run("nodes")).isEqualTo("""
                0
                NAME  STATUS  POLICY      FREE CPU  FREE MEMORY  FREE DEVICES  FREE DRA DEVICES    CONFIDENCE
                n     Ready   restricted  0,4       -,-          <none>        vf.example.com 3,4  exact
                """);
    }

    @Test
    void podsHaveColumnsForClaims() {
        assertThat(run("pods")).isEqualTo("""
                0
                NAME  NODE  PLACEMENT               CLAIMED DEVICES                ALIGNMENT
                a     n     node-0: 2 cpu           vf.example.com/vf-0 on node-0  aligned
                b     n     node-0: 2 cpu           <none>                         -
                c     n     (no aligned resources)  <none>                         unknown
                """);
        assertThat(run("pods", "-o", "json").lines().filter(line -> line.contains("\"claims\":{")))
                .hasSize(2);
        assertThat(run("pods", "-o", "yaml")).contains("    device: \"vf-0\"\n");
    }

    @Test
    void explainSaysHowDevicesWouldLieAndWhoDecides() {
        assertThat(run("explain", "a")).isEqualTo("""
                0
                kube-scheduler's allocator chooses the devices of claims, the kubelet chooses the CPUs; nothing in Kubernetes aligns them
                NODE                     FITS PLACEMENT OR REASON
                n                        fits node-0: 2 cpu
                    claims not-aligned: CPUs would come from node-0; free devices of class vf: none
                m                        no   ClaimsNotAligned
                    the same sentence
                """);
        assertThat(run("explain", "a", "-o", "json").lines().skip(1))
                .allSatisfy(line -> assertThat(line).contains("\"claims\":{\"alignment\":\"not-aligned\""));
    }
}
