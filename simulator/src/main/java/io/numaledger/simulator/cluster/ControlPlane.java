package io.numaledger.simulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.RealApiServer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** API server, controller manager and scheduler of one cluster. */
final class ControlPlane implements AutoCloseable {

    private static final ObjectMapper YAML = new YAMLMapper();

    private final RealApiServer apiServer;
    private final ChildProcess controllers;
    private final Supplier<ChildProcess> schedulers;
    private ChildProcess scheduler;

    private ControlPlane(RealApiServer apiServer, ChildProcess controllers, Supplier<ChildProcess> schedulers) {
        this.apiServer = apiServer;
        this.controllers = controllers;
        this.schedulers = schedulers;
        this.scheduler = schedulers.get();
    }

    /**
     * What may differ from cluster to cluster.
     *
     * @param featureGates such as {@code GenericWorkload=true}, of all three programs
     * @param schedulerConfiguration YAML that is merged into the KubeSchedulerConfiguration, field by field
     * @param trusted certificates that pods trust, beside that of the API server
     */
    record Options(
            List<String> apiServerArguments,
            List<String> featureGates,
            String schedulerConfiguration,
            Optional<Path> trusted) {

        static final Options DEFAULTS = new Options(List.of(), List.of(), "{}", Optional.empty());

        Options withApiServerArguments(List<String> arguments) {
            return new Options(List.copyOf(arguments), featureGates, schedulerConfiguration, trusted);
        }

        Options withSchedulerConfiguration(String yaml) {
            return new Options(apiServerArguments, featureGates, yaml, trusted);
        }

        Options withTrusted(Path certificates) {
            return new Options(apiServerArguments, featureGates, schedulerConfiguration, Optional.of(certificates));
        }

        Options withFeatureGates(List<String> gates) {
            return new Options(apiServerArguments, List.copyOf(gates), schedulerConfiguration, trusted);
        }

        private List<String> gateArguments() {
            return featureGates.isEmpty() ? List.of() : List.of("--feature-gates=" + String.join(",", featureGates));
        }

        private List<String> with(String program, String... arguments) {
            return Stream.of(Stream.of(program), Stream.of(arguments), gateArguments().stream())
                    .flatMap(all -> all)
                    .toList();
        }
    }

    static ControlPlane start(KubeBinaries binaries, Path directory, Options options) {
        List<String> apiServerArguments = new ArrayList<>(options.apiServerArguments());
        apiServerArguments.addAll(options.gateArguments());
        RealApiServer apiServer =
                RealApiServer.start(binaries.directory(), directory.resolve("api"), apiServerArguments);
        copyKubeconfig(apiServer.kubeconfig(), ClusterDirectory.kubeconfig(directory));
        Path trusted = directory.resolve("pods-ca.crt");
        writeTrusted(trusted, apiServer.servingCertificate(), options.trusted());
        ChildProcess controllers = ChildProcess.start(
                "kube-controller-manager",
                directory,
                options.with(
                        binaries.of("kube-controller-manager").toString(),
                        "--kubeconfig=" + apiServer.kubeconfig(),
                        "--service-account-private-key-file=" + apiServer.serviceAccountKey(),
                        "--root-ca-file=" + trusted,
                        "--leader-elect=false",
                        "--secure-port=0"));
        Path configuration = directory.resolve("scheduler.yaml");
        writeSchedulerConfiguration(configuration, apiServer.kubeconfig(), options.schedulerConfiguration());
        List<String> scheduler =
                options.with(binaries.of("kube-scheduler").toString(), "--config=" + configuration, "--secure-port=0");
        return new ControlPlane(
                apiServer, controllers, () -> ChildProcess.start("kube-scheduler", directory, scheduler));
    }

    private static void writeTrusted(Path file, Path apiServer, Optional<Path> others) {
        try {
            Files.copy(apiServer, file);
            if (others.isPresent()) {
                Files.write(file, Files.readAllBytes(others.get()), StandardOpenOption.APPEND);
            }
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot write certificates: file=%s; check that its directory may be written".formatted(file),
                    cause);
        }
    }

    private static void copyKubeconfig(Path from, Path to) {
        try {
            Files.copy(from, to);
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot write a kubeconfig: file=%s; check that its directory may be written".formatted(to), cause);
        }
    }

    private static void writeSchedulerConfiguration(Path file, Path kubeconfig, String additions) {
        ObjectNode configuration = YAML.createObjectNode();
        configuration.put("apiVersion", "kubescheduler.config.k8s.io/v1");
        configuration.put("kind", "KubeSchedulerConfiguration");
        configuration.putObject("leaderElection").put("leaderElect", false);
        configuration.putObject("clientConnection").put("kubeconfig", kubeconfig.toString());
        try {
            JsonNode added = YAML.readTree(additions);
            YAML.readerForUpdating(configuration).readValue(added);
            Files.writeString(file, YAML.writeValueAsString(configuration));
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot write the scheduler's configuration: file=%s; check the YAML that was added to it"
                            .formatted(file),
                    cause);
        }
    }

    RealApiServer apiServer() {
        return apiServer;
    }

    void stopScheduler() {
        scheduler.close();
    }

    void startScheduler() {
        scheduler = schedulers.get();
    }

    @Override
    public void close() {
        scheduler.kill();
        controllers.kill();
        apiServer.close();
    }
}
