package io.numaledger.agent.gpu;

import io.numaledger.agent.probe.ProbeCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class GpuProbeTest {

    @TempDir
    private Path sysfs;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest(name = "{0}: {1} {2}")
    @CsvSource(delimiter = '|', textBlock = """
            dgx1-v100          | 2 |                          | {"gpus":[2,3],"links":2}
            dgx1-v100          | 4 |                          | {"gpus":[0,1,2,3],"links":9}
            dgx1-v100          | 2 | --free 0,1,4             | {"gpus":[0,4],"links":2}
            dgx1-v100          | 2 | --free 0,2,4,5           | {"gpus":[0,4],"links":2}
            dgx1-v100          | 3 | --zones 1                | {"gpus":[4,6,7],"links":5}
            dgx1-v100          | 2 | --free 0-4 --zones 0     | {"gpus":[2,3],"links":2}
            rtx8000-4-pairs    | 2 |                          | {"gpus":[1,2],"links":2}
            rtx8000-4-pairs    | 2 | --zones 1                | {"gpus":[2,3],"links":0}
            l40s-8-pcie        | 3 | --free 3,4,5,6           | {"gpus":[4,5,6],"links":0}
            dgx-a100-8-nps4    | 4 | --free 0,2,3,5,6,7       | {"gpus":[2,3,6,7],"links":72}
            gh200-4            | 1 |                          | {"gpus":[0],"links":0}
            """)
    void picksTheFastestSet(String system, String size, String more, String answer) {
        int exit = probe("--from %s --pick %s -o json %s"
                .formatted(DescribedSystems.file(system), size, more == null ? "" : more));
        assertThat(out.toString().strip()).isEqualTo(answer);
        assertThat(err.toString()).isEmpty();
        assertThat(exit).isZero();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            more than there are | --pick 9              | no such set of GPUs: pick=9 candidates={0,1,2,3,4,5,6,7} of 8; ask for fewer or free more
            more than are free  | --pick 3 --free 1,2   | no such set of GPUs: pick=3 candidates={1,2} of 8; ask for fewer or free more
            a zone without GPUs | --pick 1 --zones 5    | no such set of GPUs: pick=1 candidates={} of 8; ask for fewer or free more
            none at all         | --pick 0              | a set to pick has 1 GPU or more: size=0; ask for one
            a GPU out of range  | --pick 1 --free 7,8,9 | there are no such GPUs: free=7,8,9 unknown=8-9 gpus=8; name others
            no list             | --pick 1 --free x     | not a CPU list: part='x'; expected ids and ranges such as 0-3,8 or 0-63:2/4
            """)
    void saysInOneLineWhyThereIsNoSuchSet(String situation, String arguments, String line) {
        int exit = probe("--from %s -o json %s".formatted(DescribedSystems.file("dgx1-v100"), arguments));
        assertThat(err.toString()).isEqualTo(line + System.lineSeparator());
        assertThat(out.toString()).isEmpty();
        assertThat(exit).isEqualTo(1);
    }

    @Test
    void tellsInTextWhatIsLeft() {
        probe("--from %s --pick 2 --free 0-6".formatted(DescribedSystems.file("dgx1-v100")));
        assertThat(out.toString().strip()).isEqualTo("gpus=2,3 links=2 largest_clique_left=4,5,6");
    }

    @Test
    void printsTheTableOfNvidiaSmi() {
        int exit = probe("--from " + DescribedSystems.file("azure-ncv4-a100-4"));
        assertThat(out.toString().lines().limit(5))
                .containsExactly(
                        "      GPU0  GPU1  GPU2  GPU3  CPU Affinity  NUMA Affinity  GPU NUMA ID",
                        "GPU0  X     NV12  SYS   SYS   0-23          0              N/A",
                        "GPU1  NV12  X     SYS   SYS   24-47         1              N/A",
                        "GPU2  SYS   SYS   X     NV12  48-71         2              N/A",
                        "GPU3  SYS   SYS   NV12  X     72-95         3              N/A");
        assertThat(out.toString()).contains("GPU2: 0003:00:00.0");
        assertThat(exit).isZero();
    }

    @Test
    void aMachineWithoutGpusHasNone() {
        int exit = probe("--sysfs-root %s --dev-root %s".formatted(sysfs, sysfs));
        assertThat(out.toString().strip()).isEqualTo("no GPUs");
        assertThat(exit).isZero();
    }

    private int probe(String arguments) {
        return new CommandLine(new ProbeCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(("--gpus " + arguments).strip().split(" +"));
    }
}
