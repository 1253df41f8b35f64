package io.numaledger.cli;

import io.numaledger.text.ControlCharacters;
import picocli.CommandLine;
import picocli.CommandLine.Help;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Output of a command. Control characters are written as escapes, so that text of others, such as an annotation, does not control the
 * terminal. Lines and tabs are kept. Colours are written only by {@link #printColoured}.
 */
public final class TerminalWriter extends PrintWriter {

    private static final String CLEAR = "\033[H\033[2J";

    private final Writer target;
    private final Escaping escaping;

    /** @param target of a terminal, or of a file that somebody may show on one */
    public TerminalWriter(Writer target) {
        this(target, new Escaping(target));
    }

    private TerminalWriter(Writer target, Escaping escaping) {
        super(escaping, true);
        this.target = target;
        this.escaping = escaping;
    }

    /** Runs a command line whose output and error output are written like this. Returns the exit status. */
    public static int execute(CommandLine line, String... args) {
        return on(line).execute(args);
    }

    /** The given command line, whose output and error output a {@code TerminalWriter} writes. */
    public static CommandLine on(CommandLine line) {
        // Otherwise picocli writes help and stack traces in colours, between the words of others.
        line.setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF));
        return line.setOut(new TerminalWriter(line.getOut())).setErr(new TerminalWriter(line.getErr()));
    }

    /** @param text with the colours of {@link Colours}; what others wrote in it is escaped already */
    public static void printColoured(PrintWriter out, String text) {
        if (!(out instanceof TerminalWriter writer)) {
            out.print(text);
            return;
        }
        writer.escaping.keepsColours = true;
        try {
            writer.print(text);
            writer.flush();
        } finally {
            writer.escaping.keepsColours = false;
        }
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

        /** The colour codes of {@link Colours}. */
        private static final Pattern COLOUR = Pattern.compile("\033\\[(?:[01]|3[123])m");

        private boolean keepsColours;

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
                if (keepsColours
                        && each == '\033'
                        && colour.region(at, text.length()).lookingAt()) {
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
