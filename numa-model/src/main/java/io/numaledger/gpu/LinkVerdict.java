package io.numaledger.gpu;

/** Whether a pod gets the links that it demands. */
public enum LinkVerdict {
    /** With every possible set. */
    WILL,
    /** With some of the possible sets. */
    CAN,
    /** With none of them. */
    CANNOT
}
