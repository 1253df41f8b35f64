package io.numaledger.apiservers.wait;

import org.jspecify.annotations.Nullable;

/** What somebody waited for did not come; the message names it, what was seen last, and what to do. */
public final class NotInTimeException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NotInTimeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
