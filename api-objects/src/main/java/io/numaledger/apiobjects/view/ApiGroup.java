package io.numaledger.apiobjects.view;

/** Names of the API group {@code numaledger.io}. */
public final class ApiGroup {

    public static final String NAME = "numaledger.io";
    public static final String VERSION = "v1alpha1";
    public static final String GROUP_VERSION = NAME + "/" + VERSION;

    /** The path of the API group's resources. */
    public static final String ROOT = "/apis/" + GROUP_VERSION;

    public static final String NODES = "numanodes";
    public static final String EXPLANATIONS = "explanations";
    public static final String AUDITS = "predictionaudits";
    public static final String STRANDED = "strandedcapacities";

    private ApiGroup() {}
}
