package io.numaledger.agent.config;

import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.NodeOwner;
import io.numaledger.nrt.profile.ProfileName;
import io.numaledger.nrt.profile.TopologyProfile;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The format and the owner of the NodeResourceTopology. */
public final class ProfileOptions {

    private static final Path OWN_NAMESPACE = Path.of("/var/run/secrets/kubernetes.io/serviceaccount/namespace");

    private ProfileName name = ProfileName.NUMALEDGER;

    @Option(
            names = "--nrt-numaplacement",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description = "in the rte profile, also publish the NUMA node of each container if the policy is "
                    + "single-numa-node (default: false)")
    private boolean containerPlacements;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--nrt-profile",
            paramLabel = "PROFILE",
            description = "numaledger, rte (as resource-topology-exporter), nfd (as nfd-topology-updater), or off: no "
                    + "NodeResourceTopology (default: numaledger)")
    void name(String spelling) {
        name = ProfileName.of(spelling)
                .orElseThrow(() -> new ParameterException(
                        command.commandLine(),
                        "--nrt-profile is '%s'; expected %s"
                                .formatted(spelling, String.join(", ", ProfileName.spellings()))));
    }

    /** The profile; empty: no NodeResourceTopology is to be published. */
    public Optional<TopologyProfile> profile() {
        return name.profile(containerPlacements);
    }

    /** The owner: in the nfd profile the namespace that we run in, else the node. */
    public NodeOwner owner(ApiServer api, String node) throws IOException {
        return name == ProfileName.NFD ? NodeOwner.namespace(api, ownNamespace()) : NodeOwner.node(api, node);
    }

    private static String ownNamespace() throws IOException {
        String reported = System.getenv().getOrDefault("POD_NAMESPACE", "");
        if (!reported.isEmpty()) {
            return reported;
        }
        return Files.isReadable(OWN_NAMESPACE) ? Files.readString(OWN_NAMESPACE).strip() : "default";
    }
}
