package io.numaledger.bridge.cli;

/** How results are printed. */
enum OutputFormat {
    /** For a person. */
    table,
    /** One object a line. */
    json
}
