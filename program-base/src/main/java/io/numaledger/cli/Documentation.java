package io.numaledger.cli;

/** Where readers of a message find a page of the documentation: at the source code's address, if the build was told it. */
public final class Documentation {

    private Documentation() {}

    /** @param page such as {@code operate.md#drains} */
    public static String page(String page) {
        return page(page, new ProgramVersion());
    }

    static String page(String page, ProgramVersion build) {
        String commit = build.commit().equals(ProgramVersion.UNKNOWN) ? "HEAD" : build.commit();
        return build.source()
                .map(source -> "%s/blob/%s/docs/%s".formatted(source, commit, page))
                .orElseGet(() -> "docs/%s of the source code".formatted(page));
    }
}
