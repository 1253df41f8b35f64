package io.numaledger.cli;

import io.numaledger.text.ControlCharacters;
import picocli.CommandLine;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Output of a command. Control characters are written as escapes, so that text of others, such as an annotation, does not control the
 * terminal. Lines and tabs are kept, and so are the colours of {@link Colours} and of help texts.
 */
public final class TerminalWriter extends PrintWriter {

    private static final String CLEAR = "\033[H\033[2J";

    private final Writer target;

    /** @param target of a terminal, or of a file that somebody may show on one */
    public TerminalWriter(Writer target) {
        super(new Escaping(target), true);
        this.target = target;
    }

    /** Runs a command line whose output and error output are written like this. Returns the exit status. */
    public static int execute(CommandLine line, String... args) {
        return on(line).execute(args);
    }

    /** The same command line, whose output and error output are written like this. */
    public static CommandLine on(CommandLine line) {
        return line.setOut(new TerminalWriter(line.getOut())).setErr(new TerminalWriter(line.getErr()));
    }

    /** Clears the screen of the terminal behind a command's output. */
    public static void clearScreen(PrintWriter out) {
        out.flush();
        Writer terminal = out instanceof TerminalWriter writer ? writer.target : out;
        try {
            terminal.write(CLEAR);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write to the terminal; check whether it is still open", e);
        }
    }

    private static final class Escaping extends FilterWriter {

        /** Normal, bold, italic, red, green, yellow, and their ends. */
        private static final Pattern COLOUR = Pattern.compile("\033\\[(?:[013]|2[13]|3[1239])m");

        Escaping(Writer to) {
            super(to);
        }

        @Override
        public void write(int character) throws IOException {
            write(String.valueOf((char) character));
        }

        @Override
        public void write(char[] text, int from, int length) throws IOException {
            write(new String(text, from, length));
        }

        @Override
        public void write(String text, int from, int length) throws IOException {
            write(text.substring(from, from + length));
        }

        @Override
        public void write(String text) throws IOException {
            StringBuilder shown = new StringBuilder(text.length());
            Matcher colour = COLOUR.matcher(text);
            int at = 0;
            while (at < text.length()) {
                char each = text.charAt(at);
                if (each == '\033' && colour.region(at, text.length()).lookingAt()) {
                    shown.append(colour.group());
                    at = colour.end();
                    continue;
                }
                if (each == '\n' || each == '\t' || (each == '\r' && text.startsWith("\n", at + 1))) {
                    shown.append(each);
                } else {
                    ControlCharacters.append(shown, each);
                }
                at++;
            }
            out.write(shown.toString());
        }
    }
}
