package io.numaledger.cli;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import java.io.PrintWriter;
import java.io.StringWriter;

import static org.assertj.core.api.Assertions.assertThat;

class TerminalWriterTest {

    private final StringWriter terminal = new StringWriter();
    private final TerminalWriter out = new TerminalWriter(terminal);

    @Test
    void writesWhatWouldControlTheTerminalAsText() {
        out.println("\033[2J\033]0;title\007 \033[8mhidden \u009b31m \u202eabc\r over\b \033[38;5;1m");

        assertThat(terminal)
                .hasToString(
                        "\\u001b[2J\\u001b]0;title\\u0007 \\u001b[8mhidden \\u009b31m \\u202eabc\\u000d over\\u0008 "
                                + "\\u001b[38;5;1m\n");
    }

    @Test
    void keepsLinesAndTabs() {
        out.print("a\tb\r\nc\n");

        assertThat(terminal).hasToString("a\tb\r\nc\n");
    }

    @Test
    void printsColoursOnlyOnDemand() {
        String text = new Colours(true).heading("NAME") + "\n" + new Colours(true).status("fail") + "\n";
        out.print(text);
        TerminalWriter.printColoured(out, text + "\033[2J\n");

        assertThat(terminal)
                .hasToString("\\u001b[1mNAME\\u001b[0m\n\\u001b[31mfail\\u001b[0m\n" + text + "\\u001b[2J\n");
    }

    @Test
    void printsHelpWithoutColours() {
        CommandLine line = new CommandLine(new Echo()).setOut(new PrintWriter(terminal));
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.ON));

        assertThat(TerminalWriter.execute(line, "--help")).isZero();

        assertThat(terminal.toString())
                .contains("Usage: echo")
                .doesNotContain("\033")
                .doesNotContain("\\u001b");
    }

    @Test
    void clearsTheScreenOnlyOnDemand() {
        out.print("\033[H\033[2J");
        TerminalWriter.clearScreen(out);
        out.println("next");

        assertThat(terminal).hasToString("\\u001b[H\\u001b[2J\033[H\033[2Jnext\n");
    }

    /** A command that prints an argument, and fails with it. */
    @Command(name = "echo", mixinStandardHelpOptions = true)
    private static final class Echo implements Runnable {

        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec;

        @CommandLine.Parameters
        private String text;

        @Override
        public void run() {
            spec.commandLine().getOut().println(text);
            throw new IllegalStateException(text);
        }
    }

    @Test
    void servesCommandsAndTheirFailures() {
        StringWriter err = new StringWriter();
        CommandLine line =
                new CommandLine(new Echo()).setOut(new PrintWriter(terminal)).setErr(new PrintWriter(err));

        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.ON));

        assertThat(TerminalWriter.execute(line, "\033[2J\033[31m")).isEqualTo(1);
        assertThat(TerminalWriter.execute(line, "a", "\033[2J")).isEqualTo(2);

        assertThat(terminal).hasToString("\\u001b[2J\\u001b[31m\n");
        assertThat(err.toString())
                .contains("IllegalStateException: \\u001b[2J\\u001b[31m\n", "Unmatched argument", "'\\u001b[2J'")
                .doesNotContain("\033")
                .doesNotContain("\\u001b[0m");
    }
}
