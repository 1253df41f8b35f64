package io.numaledger.logging;

/** How a log line is written. */
public enum LogFormat {
    /** {@code 2026-01-02T03:04:05.678Z level=INFO event=nrt.published node=a zones=2}. */
    KEY_VALUE("key-value"),
    /** One JSON object a line, with the keys of {@link #KEY_VALUE}. */
    JSON("json");

    private final String flag;

    LogFormat(String flag) {
        this.flag = flag;
    }

    String write(LogLine line) {
        return switch (this) {
            case KEY_VALUE -> KeyValueLines.write(line);
            case JSON -> JsonLines.write(line);
        };
    }

    @Override
    public String toString() {
        return flag;
    }
}
