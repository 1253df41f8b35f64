package io.numaledger.bridge.cli;

/** How results are printed. */
enum OutputFormat {
    /** For people. */
    table,
    /** One JSON object per line. */
    json
}
