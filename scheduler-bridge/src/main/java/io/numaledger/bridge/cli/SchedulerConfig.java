package io.numaledger.bridge.cli;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The configuration of kube-scheduler. It has one extender with all verbs and {@code ignorable: false}: while the bridge is down no
 * pod is scheduled without it, and the default binder never binds a pod that the bridge refused. ADR 3 has the reasons.
 */
public final class SchedulerConfig {

    private static final String DEFAULT_SCHEDULER = "default-scheduler";

    private SchedulerConfig() {}

    /**
     * Files that kube-scheduler reads to call the bridge over HTTPS.
     *
     * @param ca of the bridge's certificate
     * @param certificate of the scheduler; kube-scheduler reads a renewed one
     */
    public record TlsFiles(Path ca, Path certificate, Path key) {

        /** The files of the Secret that the chart makes for the scheduler, mounted here. */
        public static TlsFiles in(Path directory) {
            return new TlsFiles(
                    directory.resolve("ca.crt"), directory.resolve("tls.crt"), directory.resolve("tls.key"));
        }
    }

    /**
     * The text of the file.
     *
     * @param schedulerName of the profile; also names the lease, except for the cluster's own scheduler
     * @param kubeconfig absent: the service account of kube-scheduler
     * @param tls absent: plain HTTP
     */
    public static String text(
            String url,
            String schedulerName,
            Optional<Path> kubeconfig,
            Optional<TlsFiles> tls,
            boolean leaderElection) {
        return text(url, schedulerName, kubeconfig, tls, leaderElection, false, 0);
    }

    /**
     * The text of the file, with more settings.
     *
     * @param insecure whether kube-scheduler should not verify the certificate of the bridge
     * @param percentageOfNodes how many nodes it offers; 0: it decides by itself
     */
    static String text(
            String url,
            String schedulerName,
            Optional<Path> kubeconfig,
            Optional<TlsFiles> tls,
            boolean leaderElection,
            boolean insecure,
            int percentageOfNodes) {
        StringBuilder text = new StringBuilder();
        text.append("apiVersion: kubescheduler.config.k8s.io/v1\n");
        text.append("kind: KubeSchedulerConfiguration\n");
        text.append("# Every unsuccessful attempt may cost a call to the API server.\n");
        text.append("clientConnection:\n  qps: 500\n  burst: 1000\n");
        kubeconfig.ifPresent(file -> text.append("  kubeconfig: %s\n".formatted(quoted(file))));
        text.append("leaderElection:\n  leaderElect: %s\n".formatted(leaderElection));
        if (leaderElection && !schedulerName.equals(DEFAULT_SCHEDULER)) {
            text.append("  # Not the lease of the cluster's own scheduler.\n");
            text.append("  resourceName: %s\n".formatted(quoted(schedulerName)));
        }
        text.append(sample(percentageOfNodes));
        text.append("# Zones stay reserved for a pending pod until kube-scheduler retries it.\n");
        text.append(
                "# An idle kube-scheduler of Kubernetes 1.33 or later does not wait for the back-off, unless it is started with\n");
        text.append("# --feature-gates=SchedulerPopFromBackoffQ=false.\n");
        text.append("podMaxBackoffSeconds: 2\n");
        text.append("profiles:\n- schedulerName: %s\n".formatted(quoted(schedulerName)));
        text.append(
                "# It fits bridge run --zone-refusals=unresolvable, the default: kube-scheduler does not call preempt for a node that fits\n");
        text.append(
                "# by node-level requests. With preemptable, it would retry a pod of higher priority without end.\n");
        text.append("extenders:\n");
        text.append("- urlPrefix: %s\n".formatted(quoted(url)));
        text.append("  filterVerb: filter\n");
        text.append("  prioritizeVerb: prioritize\n");
        text.append("  preemptVerb: preempt\n");
        text.append("  bindVerb: bind\n");
        text.append("  weight: 10\n");
        text.append("  nodeCacheCapable: true\n");
        text.append("  ignorable: false\n");
        text.append("  httpTimeout: 10s\n");
        text.append("  enableHTTPS: %s\n".formatted(tls.isPresent()));
        tls.ifPresent(files -> {
            text.append("  tlsConfig:\n    insecure: %s\n".formatted(insecure));
            if (!insecure) {
                text.append("    caFile: %s\n".formatted(quoted(files.ca())));
            }
            text.append("    certFile: %s\n".formatted(quoted(files.certificate())));
            text.append("    keyFile: %s\n".formatted(quoted(files.key())));
        });
        return text.toString();
    }

    /** YAML for how many nodes it offers, for any place between the sections of the configuration; 0: it decides by itself. */
    public static String sample(int percentageOfNodes) {
        return percentageOfNodes == 0 ? "" : """
                # kube-scheduler offers the bridge so many of the nodes. Without this, it decides by itself.
                percentageOfNodesToScore: %d
                """.formatted(percentageOfNodes);
    }

    private static String quoted(Object text) {
        return "\"" + text.toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
