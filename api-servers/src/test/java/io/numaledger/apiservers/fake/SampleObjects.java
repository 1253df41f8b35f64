package io.numaledger.apiservers.fake;

/** Objects of the test cases, as JSON. */
final class SampleObjects {

    static final String NRTS = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";

    private SampleObjects() {}

    static String pods(String namespace) {
        return "/api/v1/namespaces/" + namespace + "/pods";
    }

    static String pod(String name, String labels) {
        return """
                {"metadata":{"name":"%s","labels":{%s}},"spec":{"containers":[{"name":"main","image":"none"}]}}""".formatted(name, labels);
    }

    static String podOn(String name, String node) {
        return """
                {"metadata":{"name":"%s"},"spec":{"nodeName":"%s","containers":[{"name":"main","image":"none"}]}}""".formatted(name, node);
    }

    static String nrt(String name, String rest) {
        return """
                {"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology","metadata":{"name":"%s"}%s}""".formatted(name, rest.isEmpty() ? "" : "," + rest);
    }

    static String zone(String name, String available) {
        return """
                {"name":"%s","type":"Node","resources":[{"name":"cpu","capacity":"8","allocatable":"8","available":"%s"}]}""".formatted(name, available);
    }
}
