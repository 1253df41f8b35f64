package io.numaledger.benchmarks.trace;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

import static org.assertj.core.api.Assertions.assertThat;

class TraceTest {

    @TempDir
    Path directory;

    private void write(String name, String text) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(directory.resolve(name)))) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void readsNodesAndPods() throws IOException {
        write("openb_node_list_gpu_node.csv.gz", """
                sn,cpu_milli,memory_mib,gpu,model
                node-0,64000,262144,2,P100
                """);
        write("openb_pod_list_default.csv.gz", """
                name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
                whole,12000,16384,2,1000,,LS,Running,100,160,100
                share,3152,1024,1,460,V100M16|V100M32,LS,Pending,200,200,
                """);
        write("openb_pod_list_multigpu50.csv.gz", """
                name,cpu_milli,memory_mib,num_gpu,gpu_milli
                cpus,500,1,0,0
                """);

        Trace trace = Trace.read(directory, "default");

        assertThat(trace.nodes()).containsExactly(new Trace.Node(64, 256L << 30, 2));
        assertThat(trace.pods())
                .containsExactly(
                        new Trace.Pod("whole", 12, 16L << 30, 2, 100, 60),
                        new Trace.Pod("share", 4, 1L << 30, 1, 200, 0));
        assertThat(Trace.read(directory, "multigpu50").pods())
                .containsExactly(new Trace.Pod("cpus", 1, 1L << 20, 0, 0, 0));
    }
}
