package io.numaledger.e2e.support;

import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.Credentials;

import java.nio.file.Path;

/** The service accounts and rights that the Helm chart installs, on a cluster of a test. */
public final class ChartRights {

    private static final Path CHART = Path.of(System.getProperty("numaledger.root"), "charts", "numaledger");

    private ChartRights() {}

    /** @param values {@code --set} arguments for helm */
    public static ChartAccounts install(SimCluster cluster, String... values) {
        return ChartAccounts.install(
                cluster.apiServer(),
                RealKubernetes.binaries().directory().resolve("helm"),
                CHART,
                cluster.directory().resolve("accounts"),
                values);
    }

    public static Credentials credentials(SimCluster cluster) {
        return credentials(cluster, new String[0]);
    }

    /** @param values as for {@link #install} */
    public static Credentials credentials(SimCluster cluster, String... values) {
        ChartAccounts accounts = install(cluster, values);
        return new Credentials(accounts::agent, accounts.bridge());
    }
}
