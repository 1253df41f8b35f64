package io.numaledger.simulator.replay;

import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.simulator.hardware.NodeSpecException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code replay FILE.jsonl.gz…}: recorded admissions through the kubelet model. Exit code 1 when the model is wrong. */
@Command(
        name = "replay",
        mixinStandardHelpOptions = true,
        description = "Replays recorded kubelet admissions through the kubelet model and counts where it is wrong.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:every admission as recorded",
            "1:some differ",
            "2:wrong arguments, or a file that cannot be read"
        })
public final class ReplayCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description =
                    "Scenarios as JSON lines, .jsonl or .jsonl.gz, or an archive of sim record or kubectl numa audit --save, .zip")
    private List<Path> files = List.of();

    @Option(
            names = "--differences",
            paramLabel = "N",
            defaultValue = "5",
            description = "How many differences to print per file (default: ${DEFAULT-VALUE})")
    private int printed;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        boolean right = true;
        for (Path file : files) {
            if (Recording.isNamedBy(file)) {
                right &= recording(file);
                continue;
            }
            Replay replay = new Replay(new Replay.Observer() {});
            read(file, replay);
            out.printf(
                    "%s scenarios=%d admissions=%d wrong=%d%n",
                    file, replay.scenarios(), replay.admissions(), replay.wrong());
            replay.differences().stream().limit(printed).forEach(difference -> out.println("  " + difference));
            out.flush();
            right &= replay.wrong() == 0;
        }
        return right ? 0 : 1;
    }

    private boolean recording(Path file) {
        try {
            Recording recording = Recording.read(file);
            if (recording.audit().isPresent()) {
                return audit(file, AuditJudgement.of(recording));
            }
            List<String> differences = RecordedState.differences(recording);
            PrintWriter out = spec.commandLine().getOut();
            out.printf(
                    "%s decisions=%d wrong=%d%n",
                    file, RecordedState.hasDecision(recording) ? 1 : 0, differences.isEmpty() ? 0 : 1);
            differences.forEach(difference -> out.println("  " + difference));
            out.flush();
            return differences.isEmpty();
        } catch (UncheckedIOException | IllegalArgumentException | NodeSpecException unreadable) {
            throw new ParameterException(spec.commandLine(), unreadable.getMessage(), unreadable);
        }
    }

    private boolean audit(Path file, AuditJudgement judgement) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf("%s predictions=1 erred=%s%n", file, judgement.erred());
        judgement.sentences().forEach(sentence -> out.println("  " + sentence));
        out.flush();
        return judgement.erred() == AuditJudgement.Erred.NOBODY;
    }

    private void read(Path file, Replay replay) {
        try {
            new ScenarioFile(file).forEach(replay::run);
        } catch (UncheckedIOException | IllegalArgumentException unreadable) {
            throw new ParameterException(spec.commandLine(), unreadable.getMessage(), unreadable);
        }
    }
}
