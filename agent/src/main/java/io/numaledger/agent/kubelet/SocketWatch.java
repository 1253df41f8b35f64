package io.numaledger.agent.kubelet;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Hears when a unix socket appears or goes in directories of the kubelet. It opens none of them. A thread of its own, a daemon. */
public final class SocketWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SocketWatch.class);

    private final Optional<WatchService> service;
    private final Runnable onChange;

    /**
     * @param directories those that do not exist are left out
     * @param onChange called from the watch's thread
     */
    public SocketWatch(Collection<Path> directories, Runnable onChange) {
        this.service = service(directories.stream().filter(Files::isDirectory).toList());
        this.onChange = onChange;
        service.ifPresent(open -> {
            Thread thread = new Thread(() -> follow(open), "sockets");
            thread.setDaemon(true);
            thread.start();
        });
    }

    private static Optional<WatchService> service(List<Path> directories) {
        try {
            WatchService service = FileSystems.getDefault().newWatchService();
            for (Path directory : directories) {
                directory.register(service, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE);
            }
            return Optional.of(service);
        } catch (IOException e) {
            log.warn(
                    "event=sockets.unwatched reason='{}' effect='plugins and the kubelet are noticed later' advice='raise fs.inotify.max_user_instances and max_user_watches on the node'",
                    e.getMessage());
            return Optional.empty();
        }
    }

    private void follow(WatchService open) {
        try {
            while (true) {
                WatchKey key = open.take();
                boolean changed = key.pollEvents().stream().anyMatch(event -> isSocket(key, event));
                if (changed) {
                    onChange.run();
                }
                key.reset();
            }
        } catch (ClosedWatchServiceException | InterruptedException e) {
            log.debug("event=sockets.stopped");
        }
    }

    /** The kubelet renames its checkpoint into the directory of the plugins whenever it allocates a device. */
    private static boolean isSocket(WatchKey key, WatchEvent<?> event) {
        if (!(event.context() instanceof Path name)) {
            return true; // too many events at once
        }
        Path file = ((Path) key.watchable()).resolve(name);
        boolean gone = !Files.exists(file);
        boolean checkpoint = name.toString().startsWith(".") || name.toString().equals("kubelet_internal_checkpoint");
        return gone ? !checkpoint : !Files.isRegularFile(file) && !Files.isDirectory(file);
    }

    @Override
    public void close() throws IOException {
        if (service.isPresent()) {
            service.get().close();
        }
    }
}
