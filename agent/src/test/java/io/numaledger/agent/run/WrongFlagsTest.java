package io.numaledger.agent.run;

import io.numaledger.cli.WrongArguments;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;

import static org.assertj.core.api.Assertions.assertThat;

/** A wrong flag ends the agent before it reaches for anything, and says what it should have been. */
class WrongFlagsTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            --nrt-profile=nfv                | --nrt-profile is 'nfv'; expected numaledger, rte, nfd, off
            --log-format=xml                 | --log-format is 'xml'; expected key-value, json
            --topology-manager-policy=strict | --topology-manager-policy is 'strict'; expected none, best-effort, restricted, single-numa-node
            --poll-interval=soon             | invalid value for option '--poll-interval'
            --poll-interval=0s               | --poll-interval is 'PT0S'; expected more than 0
            --kubelet-qps=0                  | --kubelet-qps, --kubelet-burst:
            --listen=somewhere               | --listen: 'somewhere' is no address; expected such as :9464, 127.0.0.1:9464 or off
            --rename-device=a                | --rename-device is 'a'; expected FROM=TO such as example.com/gpu.shared=example.com/gpu
            --no-such-flag                   | unknown option: --no-such-flag
            """)
    void exitsWithTwoAndTheFlagsName(String flag, String sentence) {
        StringWriter err = new StringWriter();
        int status = new CommandLine(new RunCommand())
                .setErr(new PrintWriter(err))
                .setParameterExceptionHandler(WrongArguments::print)
                .execute("--node-name=worker", flag);

        assertThat(status).isEqualTo(2);
        assertThat(err.toString()).startsWith(sentence).contains("see run --help");
    }
}
