package io.numaledger.simulator.node;

/** The whole path on the embedded API server. */
class ThinPathTest extends ThinPathCases {

    ThinPathTest() {
        super(Server.EMBEDDED);
    }
}
