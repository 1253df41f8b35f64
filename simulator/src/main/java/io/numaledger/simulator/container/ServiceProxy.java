package io.numaledger.simulator.container;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/**
 * Stands for kube-proxy and the cluster's DNS: connections to the cluster IP of a Service go to one of its ready endpoints, and names of
 * Services are lines of a hosts file. TCP only; network policies have no effect.
 */
final class ServiceProxy implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ServiceProxy.class);

    private final KubernetesClient client;
    private final PodNetwork network;
    private final URI apiServer;
    private final Map<String, List<ServerSocket>> listening = new TreeMap<>();
    private final ExecutorService connections =
            Executors.newCachedThreadPool(new DefaultThreadFactory("service-proxy", true));
    private final SharedIndexInformer<Service> watch;

    private ServiceProxy(KubernetesClient client, PodNetwork network, URI apiServer) {
        this.client = client;
        this.network = network;
        this.apiServer = apiServer;
        this.watch = client.services().inAnyNamespace().inform(new Listener());
    }

    /** @param apiServer the only endpoint of the Service kubernetes */
    static ServiceProxy start(KubernetesClient client, PodNetwork network, URI apiServer) {
        return new ServiceProxy(client, network, apiServer);
    }

    /** The names of all Services, as lines of a hosts file. */
    String hosts() {
        return client.services().inAnyNamespace().list().getItems().stream()
                .filter(ServiceProxy::hasClusterIp)
                .map(service -> "%1$s %2$s.%3$s.svc %2$s.%3$s.svc.cluster.local %2$s.%3$s%n"
                        .formatted(
                                service.getSpec().getClusterIP(),
                                service.getMetadata().getName(),
                                service.getMetadata().getNamespace()))
                .collect(Collectors.joining());
    }

    private static boolean hasClusterIp(Service service) {
        String address = service.getSpec().getClusterIP();
        return address != null && !address.isEmpty() && !address.equals("None");
    }

    private final class Listener implements ResourceEventHandler<Service> {

        @Override
        public void onAdd(Service service) {
            if (hasClusterIp(service)) {
                listen(service);
            }
        }

        @Override
        public void onUpdate(Service before, Service service) {
            if (!before.getSpec().equals(service.getSpec())) {
                onDelete(before, false);
                onAdd(service);
            }
        }

        @Override
        public void onDelete(Service service, boolean finalStateUnknown) {
            String address = service.getSpec().getClusterIP();
            List<ServerSocket> sockets = listening.remove(address);
            if (sockets != null) {
                sockets.forEach(ServiceProxy::close);
                network.removeServiceAddress(address);
            }
        }
    }

    private void listen(Service service) {
        String address = service.getSpec().getClusterIP();
        List<ServerSocket> sockets = new ArrayList<>();
        network.addServiceAddress(address);
        listening.put(address, sockets);
        for (ServicePort port : service.getSpec().getPorts()) {
            try {
                ServerSocket socket = new ServerSocket(port.getPort(), 0, InetAddress.getByName(address));
                sockets.add(socket);
                connections.execute(() -> accept(service, port, socket));
            } catch (IOException cause) {
                log.warn("event=service.not_served address={} port={}", address, port.getPort(), cause);
            }
        }
    }

    private void accept(Service service, ServicePort port, ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket accepted = socket.accept();
                connections.execute(() -> forward(accepted, service, port));
            } catch (IOException closed) {
                log.debug(
                        "event=service.closed service={}", service.getMetadata().getName());
            }
        }
    }

    private void forward(Socket from, Service service, ServicePort port) {
        try (from) {
            List<InetSocketAddress> endpoints = endpoints(service, port);
            if (endpoints.isEmpty()) {
                return;
            }
            Collections.shuffle(endpoints);
            try (Socket to = new Socket()) {
                to.connect(endpoints.get(0));
                connections.execute(() -> copy(to, from));
                copy(from, to);
            }
        } catch (IOException cause) {
            log.debug(
                    "event=service.connection_failed service={}",
                    service.getMetadata().getName(),
                    cause);
        }
    }

    /** Closes both when one direction has ended: clients of the API server and of the bridge close connections as a whole. */
    private static void copy(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException ended) {
            log.debug("event=service.connection_ended cause={}", ended.toString());
        }
    }

    private List<InetSocketAddress> endpoints(Service service, ServicePort port) {
        String name = service.getMetadata().getName();
        String namespace = service.getMetadata().getNamespace();
        if (name.equals("kubernetes") && namespace.equals("default")) {
            return new ArrayList<>(List.of(new InetSocketAddress(apiServer.getHost(), apiServer.getPort())));
        }
        List<InetSocketAddress> found = new ArrayList<>();
        for (EndpointSlice slice : client.discovery()
                .v1()
                .endpointSlices()
                .inNamespace(namespace)
                .withLabel("kubernetes.io/service-name", name)
                .list()
                .getItems()) {
            // A slice without endpoints has no ports.
            if (slice.getPorts() == null) {
                continue;
            }
            int number = slice.getPorts().stream()
                    .filter(each -> Objects.equals(nameOf(each), Objects.requireNonNullElse(port.getName(), "")))
                    .map(EndpointPort::getPort)
                    .findFirst()
                    .orElse(0);
            slice.getEndpoints().stream()
                    .filter(ServiceProxy::isReady)
                    .map(endpoint ->
                            new InetSocketAddress(endpoint.getAddresses().get(0), number))
                    .forEach(found::add);
        }
        return found;
    }

    private static String nameOf(EndpointPort port) {
        return Objects.requireNonNullElse(port.getName(), "");
    }

    private static boolean isReady(Endpoint endpoint) {
        return Boolean.TRUE.equals(endpoint.getConditions().getReady());
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException closed) {
            log.debug("event=service.connection_ended cause=closed port={}", socket.getLocalPort());
        }
    }

    @Override
    public void close() {
        watch.close();
        listening.values().forEach(sockets -> sockets.forEach(ServiceProxy::close));
        connections.shutdownNow();
    }
}
