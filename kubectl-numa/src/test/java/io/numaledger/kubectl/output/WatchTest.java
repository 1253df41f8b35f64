package io.numaledger.kubectl.output;

import io.numaledger.cli.Colours;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;

import static org.assertj.core.api.Assertions.assertThat;

class WatchTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** A command with answers that are prepared; {@code !} is a failure. */
    @Command(name = "prepared")
    private static final class Prepared implements Callable<Integer> {
        @Mixin
        private final Watch watch = new Watch();

        private final Deque<String> answers;
        private final Colours colours;

        Prepared(Colours colours, List<String> answers) {
            this.answers = new ArrayDeque<>(answers);
            this.colours = colours;
        }

        @Override
        public Integer call() throws IOException {
            return watch.run(this::next, colours, () -> !answers.isEmpty());
        }

        private Result next() throws IOException {
            String text = answers.remove();
            if (text.equals("!")) {
                throw new IOException("no answer");
            }
            return new Result(text, text.length());
        }
    }

    private int run(Colours colours, List<String> answers, String... arguments) {
        CommandLine line = new CommandLine(new Prepared(colours, answers));
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @Test
    void printsOnceWithoutTheFlag() {
        assertThat(run(Colours.NONE, List.of("a", "b"))).isEqualTo(1);
        assertThat(out.toString()).isEqualTo("a\n");
    }

    @Test
    void printsAgainWhatHasChangedAndSurvivesFailures() {
        assertThat(run(Colours.NONE, List.of("a", "a", "!", "bb", "bb"), "--watch"))
                .as("the status of the last answer")
                .isEqualTo(2);
        assertThat(out.toString()).isEqualTo("a\n\nbb\n");
        assertThat(err.toString()).isEqualTo("no answer\n");
    }

    @Test
    void replacesTheLastAnswerOnATerminal() {
        run(new Colours(true), List.of("a", "bb"), "-w");
        assertThat(out.toString()).isEqualTo("\033[H\033[2Ja\n\033[H\033[2Jbb\n");
    }
}
