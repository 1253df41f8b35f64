package io.numaledger.simulator.replay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

import static org.assertj.core.api.Assertions.assertThat;

class ReplayCommandTest {

    /** One NUMA node of two cores with two threads, CPU 0 reserved; a pod of two CPUs comes, goes, and comes again. */
    private static final String SCENARIO = """
            {"id":"one","kubelet":"1.36","machine":{"numaNodes":[{"id":0,"socket":0,"cores":[[0,2],[1,3]],"memoryBytes":4096,\
            "hugepages":{"hugepages-2Mi":0}}],"distances":[[10]],"devices":{}},"config":{"topologyManagerPolicy":"restricted",\
            "topologyManagerScope":"container","cpuManagerPolicy":"static","reservedCpus":"0","memoryManagerPolicy":"None"},\
            "steps":[{"op":"admit","pod":POD,"result":RESULT},{"op":"remove","pod":"a"},{"op":"admit","pod":POD,"result":RESULT}]}
            """;

    private static final String POD =
            "{\"name\":\"a\",\"qosClass\":\"Guaranteed\",\"containers\":[{\"name\":\"c\",\"resources\":{\"cpu\":\"2\",\"memory\":\"1Ki\"}}]}";
    private static final String RESULT =
            "{\"admitted\":true,\"reason\":null,\"message\":null,\"containers\":{\"c\":{\"cpus\":\"1,3\",\"memory\":[],\"devices\":{}}}}";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    private int run(String... arguments) {
        return new CommandLine(new ReplayCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    private Path file(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        try (OutputStream target = Files.newOutputStream(file);
                OutputStream packed = name.endsWith(".gz") ? new GZIPOutputStream(target) : target) {
            packed.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    private static String scenario(String result) {
        return SCENARIO.replace("POD", POD).replace("RESULT", result);
    }

    @Test
    void countsWhatItReplayed() throws IOException {
        Path packed = file("right.jsonl.gz", scenario(RESULT));
        Path plain = file("right.jsonl", scenario(RESULT) + scenario(RESULT));

        assertThat(run(packed.toString(), plain.toString())).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        packed + " scenarios=1 admissions=2 wrong=0", plain + " scenarios=2 admissions=4 wrong=0");
    }

    @Test
    void showsTheFirstDifferencesAndDoesNotCountWhatFollowsAWrongStep() throws IOException {
        Path file = file("wrong.jsonl", scenario(RESULT.replace("1,3", "1-2")));

        assertThat(run(file.toString())).isEqualTo(1);
        assertThat(out.toString().lines())
                .containsExactly(
                        file + " scenarios=1 admissions=1 wrong=1",
                        "  scenario=one step=0 pod=a: cpus of c: recorded '1-2', model '1,3'");
    }

    @Test
    void doesNotCompareWhatTheRecordLeavesOpen() throws IOException {
        String open = "{\"admitted\":null,\"containers\":{\"c\":{\"memory\":null,\"devices\":null}}}";

        assertThat(run(file("open.jsonl", scenario(open)).toString())).isZero();
    }

    @Test
    void countsAKubeletThatDoesNotStartAsOneAdmission() throws IOException {
        String refused = scenario(RESULT).replace("\"reservedCpus\":\"0\"", "\"reservedCpus\":\"\"");

        assertThat(run(file("start.jsonl", refused.replace("\"steps\"", "\"startupError\":\"x\",\"steps\""))
                        .toString()))
                .isZero();
        assertThat(run(file("start.jsonl", refused).toString())).isEqualTo(1);
        assertThat(out.toString()).contains("scenarios=1 admissions=1 wrong=0", "scenarios=1 admissions=1 wrong=1");
    }

    /** The kubelet gives no hint for a device on a NUMA node that does not exist, also where its masks cannot hold the id. */
    @Test
    void readsDevicesOnNumaNodesWithHighIds() throws IOException {
        String devices = "\"devices\":{\"example.com/nic\":[{\"id\":\"nic-0\",\"numaNodes\":[250],\"healthy\":true}]}";
        String pod = POD.replace("\"1Ki\"", "\"1Ki\",\"example.com/nic\":\"1\"");
        String refused =
                "{\"admitted\":false,\"reason\":\"TopologyAffinityError\",\"message\":\"Resources cannot be allocated with Topology locality\"}";
        Path file = file("high.jsonl", scenario(refused).replace(POD, pod).replace("\"devices\":{}", devices));

        assertThat(run(file.toString())).as(out.toString()).isZero();
    }

    @Test
    void refusesAStepThatItDoesNotKnow() throws IOException {
        Path file = file("step.jsonl", scenario(RESULT).replace("\"op\":\"remove\"", "\"op\":\"resize\""));

        assertThat(run(file.toString())).isEqualTo(1);
        assertThat(out.toString()).contains("unknown step: op=resize; docs/reference/recorded-decisions.md lists them");
    }

    /** After the first pod. */
    private static String after(String step) {
        return scenario(RESULT)
                .replace("{\"op\":\"remove\",\"pod\":\"a\"}", step + ",{\"op\":\"remove\",\"pod\":\"a\"}");
    }

    private static String restart(String reservedCpus, String more) {
        return "{\"op\":\"restart\",\"config\":{\"topologyManagerPolicy\":\"restricted\",\"cpuManagerPolicy\":\"static\",\"reservedCpus\":\"%s\"}%s}"
                .formatted(reservedCpus, more);
    }

    @Test
    void startsAgainWithAnotherConfiguration() throws IOException {
        String remove = "{\"op\":\"remove\",\"pod\":\"a\"}";
        String text = scenario(RESULT).replace(remove, remove + "," + restart("1", ""));

        assertThat(run(file("again.jsonl", text).toString())).isEqualTo(1);
        assertThat(out.toString())
                .contains("admissions=2 wrong=1", "step=3 pod=a: cpus of c: recorded '1,3', model '0,2'");
    }

    @Test
    void expectsARestartThatFailsWithTheRecordedError() throws IOException {
        String error = "not all reserved cpus: \\\"1\\\" are present in defaultCpuSet: \\\"0,2\\\"";
        String failed = restart("1", ",\"error\":\"" + error + "\"");

        assertThat(run(file("failed.jsonl", after(failed + "," + restart("0", "")))
                        .toString()))
                .as(out.toString())
                .isZero();
        assertThat(out.toString()).contains("scenarios=1 admissions=3 wrong=0");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            1 |                  | step=1 op=restart: recorded a start, model 'not all reserved cpus
            0 | ,"error":"none"  | step=1 op=restart: recorded 'none', model a start
            1 | ,"error":"other" | step=1 op=restart: recorded 'other', model 'not all reserved cpus
            """)
    void countsARestartThatEndsOtherwise(String reservedCpus, String error, String difference) throws IOException {
        String step = restart(reservedCpus, error == null ? "" : error);

        assertThat(run(file("otherwise.jsonl", after(step)).toString())).isEqualTo(1);
        assertThat(out.toString()).contains("scenarios=1 admissions=2 wrong=1", difference);
    }

    @Test
    void refusesStepsOfAKubeletThatDoesNotRun() throws IOException {
        String error = "not all reserved cpus: \\\"1\\\" are present in defaultCpuSet: \\\"0,2\\\"";
        Path file = file("dead.jsonl", after(restart("1", ",\"error\":\"" + error + "\"")));

        assertThat(run(file.toString())).isEqualTo(1);
        assertThat(out.toString()).contains("the kubelet has not started again: op=remove; only restart may follow");
    }

    /** A plugin that comes late: the pod before it did not ask for its resource. */
    @Test
    void takesTheDevicesThatPluginsListFromNowOn() throws IOException {
        String pod = POD.replace("\"1Ki\"", "\"1Ki\",\"example.com/nic\":\"1\"");
        String none =
                "{\"admitted\":false,\"reason\":\"TopologyAffinityError\",\"message\":\"Resources cannot be allocated with Topology locality\"}";
        String devices =
                "{\"op\":\"devices\",\"devices\":{\"example.com/nic\":[{\"id\":\"nic-0\",\"numaNodes\":[0],\"healthy\":%s}]}}";
        String ask = "{\"op\":\"admit\",\"pod\":%s,\"result\":%s}";
        String one = RESULT.replace("\"devices\":{}", "\"devices\":{\"example.com/nic\":{\"0\":1}}");
        String steps = String.join(
                ",",
                ask.formatted(POD, RESULT),
                "{\"op\":\"remove\",\"pod\":\"a\"}",
                devices.formatted(false),
                ask.formatted(pod, none),
                devices.formatted(true),
                ask.formatted(pod, one));
        String text = scenario(RESULT).replaceFirst("\"steps\":.*", "\"steps\":[" + steps + "]}");

        assertThat(run(file("late.jsonl", text).toString())).as(out.toString()).isZero();
    }

    @Test
    void expectsAPanicWhereTheRecordHasAnError() throws IOException {
        String result = "\"result\":" + RESULT;
        Path file = file("panic.jsonl", scenario(RESULT).replace(result, "\"error\":\"panic: index out of range\""));

        assertThat(run(file.toString())).isEqualTo(1);
        assertThat(out.toString()).contains("error: recorded 'panic: index out of range', model 'Admitted[");
    }

    @Test
    void namesTheLineThatIsNoScenario() throws IOException {
        Path file = file("broken.jsonl", scenario(RESULT) + "{\"id\":1}\n");

        assertThat(run(file.toString())).isEqualTo(2);
        assertThat(err.toString())
                .contains("not a scenario: file=" + file + " line=2; a field is missing: field=machine");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no JSON               | {"id":"one"   | {"id" one   | Unexpected character
            a NUMA node has no id | "numaNodes":[{"id":0, | "numaNodes":[{ | a field is missing: field=id
            """)
    void namesWhatIsWrongInALineWithoutClassNames(String situation, String part, String wrong, String why)
            throws IOException {
        Path file = file("wrong.jsonl", scenario(RESULT).replace(part, wrong));

        assertThat(run(file.toString())).isEqualTo(2);
        assertThat(err.toString())
                .contains("not a scenario: file=" + file + " line=1; ", why)
                .doesNotContain("java.", "JsonNode", "fasterxml", "Source");
    }

    /** A file of a few kB that expands to a line of 64 MB, and one that names more than fits into memory. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a long line       | "id":"one"          | "id":"LONG"            | a line has more than 4194304 characters
            deep lists        | "distances":[[10]]  | "distances":[[DEEP     | Document nesting depth (1001) exceeds
            a high CPU        | [0,2]               | [0,1000000000]         | 1000000000
            reserved CPUs     | "reservedCpus":"0"  | "reservedCpus":"0-1000000000" | 0-1000000000
            """)
    void namesTheFileThatCostsTooMuch(String situation, String part, String hostile, String why) throws IOException {
        String text = scenario(RESULT)
                .replace(part, hostile)
                .replace("LONG", "x".repeat(64 << 20))
                .replace("DEEP", "[".repeat(100_000));
        Path file = file("costly.jsonl.gz", text);

        assertThat(run(file.toString())).isEqualTo(2);
        assertThat(err.toString().lines().findFirst().orElseThrow())
                .contains("file=" + file, why)
                .hasSizeLessThan(500);
    }
}
