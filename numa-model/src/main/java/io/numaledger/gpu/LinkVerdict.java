package io.numaledger.gpu;

/** Whether a pod gets the links that it demands. */
public enum LinkVerdict {
    /** The pod gets the links with every possible set. */
    WILL,
    /** The pod gets the links with some of the possible sets. */
    CAN,
    /** The pod gets the links with none of the possible sets. */
    CANNOT
}
