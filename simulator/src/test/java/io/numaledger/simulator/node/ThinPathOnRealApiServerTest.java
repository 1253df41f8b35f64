package io.numaledger.simulator.node;

/** The same on a real kube-apiserver, where one is at hand. */
class ThinPathOnRealApiServerTest extends ThinPathCases {

    ThinPathOnRealApiServerTest() {
        super(Server.REAL);
    }
}
