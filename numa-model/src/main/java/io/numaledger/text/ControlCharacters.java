package io.numaledger.text;

/**
 * Writes characters that a terminal, or a reader of a log, would obey or not see: as escapes of JSON, such as {@code \}{@code u001b}. These are
 * control characters, invisible format characters such as those that turn the direction of text, and separators of lines. Text that is
 * escaped already stays as it is, and so does the meaning of JSON.
 */
public final class ControlCharacters {

    private ControlCharacters() {}

    /** The given text in one line without such characters. */
    public static String escaped(String text) {
        for (int at = 0; at < text.length(); at++) {
            if (isControl(text.charAt(at))) {
                return escaped(text, at);
            }
        }
        return text;
    }

    /** A text of several lines, such as a stack trace, each indented: none of them can be taken for the first line of a log entry. */
    public static String indented(String text) {
        StringBuilder indented = new StringBuilder();
        text.lines()
                .forEach(line -> indented.append('\t')
                        .append(escaped(line.replace("\t", "    ")))
                        .append('\n'));
        return indented.toString();
    }

    private static String escaped(String text, int from) {
        StringBuilder escaped = new StringBuilder(text.substring(0, from));
        for (int at = from; at < text.length(); at++) {
            append(escaped, text.charAt(at));
        }
        return escaped.toString();
    }

    /** The character itself, or its escape. */
    public static void append(StringBuilder to, char each) {
        if (isControl(each)) {
            to.append("\\u%04x".formatted((int) each));
        } else {
            to.append(each);
        }
    }

    /** C0, DEL and C1; format characters; separators of lines and paragraphs. */
    public static boolean isControl(char each) {
        if (each < ' ') {
            return true;
        }
        return each >= '\u007f'
                && switch (Character.getType(each)) {
                    case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR ->
                        true;
                    default -> false;
                };
    }
}
