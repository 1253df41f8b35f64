package io.numaledger.kubectl.ui;

import io.numaledger.apiservers.wait.Wait;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The nodes behind a page, with a kubectl whose watch sends the lines of a file, and says what it was asked. */
class ShownClusterTest {

    private static final String END = event("BOOKMARK", "", "7");

    @TempDir
    private Path directory;

    private Path events;
    private Path asked;
    private ShownCluster shown;
    private Thread follower;

    @BeforeEach
    void start() throws IOException {
        events = Files.createFile(directory.resolve("events"));
        asked = Files.createFile(directory.resolve("asked"));
        verbs("\"list\",\"watch\"");
        kubectl("exec tail -n +1 -f '%s'".formatted(events));
        Files.writeString(directory.resolve("list"), "{\"items\":[{\"status\":{\"node\":\"a\"}}]}");
        Changes changes = new Changes();
        shown = new ShownCluster(
                GivenCluster.of(directory.resolve("kubectl").toString())::zones,
                changes,
                () -> {},
                InstantSource.system());
        changes.listen();
        follower = new Thread(() -> {
            try {
                shown.follow(Duration.ofMillis(100));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @AfterEach
    void stop() throws Exception {
        follower.interrupt();
        ProcessHandle.current()
                .descendants()
                .filter(each -> !each.children().findAny().isPresent())
                .filter(each -> each.info().commandLine().orElse("").contains(directory.toString()))
                .forEach(ProcessHandle::destroy);
        follower.join();
    }

    private void verbs(String verbs) throws IOException {
        Files.writeString(
                directory.resolve("resources"),
                "{\"resources\":[{\"name\":\"numanodes\",\"verbs\":[%s]}]}".formatted(verbs));
    }

    /** @param watch what the kubectl does for a watch */
    private void kubectl(String watch) throws IOException {
        Path program = Files.writeString(directory.resolve("kubectl"), """
                #!/bin/sh
                cd '%s'
                echo "$*" >> asked
                case "$*" in
                *watch=true*) %s ;;
                *numanodes*) exec cat list ;;
                *v1alpha1*) exec cat resources ;;
                *show-labels*) echo "a Ready x pool=p" ;;
                esac
                """.formatted(directory, watch));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String event(String type, String node, String version) {
        return "{\"type\":\"%s\",\"object\":{\"metadata\":{\"name\":\"%s\",\"resourceVersion\":\"%s\"},\"status\":{\"node\":\"%s\",\"v\":%s}}}\n"
                .formatted(type, node, version, node, version);
    }

    private void send(String lines) throws IOException {
        Files.writeString(events, lines, StandardOpenOption.APPEND);
    }

    private void awaitNodes(String... nodes) {
        Wait.until("the nodes " + List.of(nodes)).holds(() -> shownNodes().equals(List.of(nodes)));
    }

    private List<String> shownNodes() throws IOException {
        return shown.nodes().statuses().stream()
                .map(node -> node.path("node").asText() + node.path("v").asText())
                .toList();
    }

    private long asked(String part) throws IOException {
        return Files.readString(asked)
                .lines()
                .filter(line -> line.contains(part))
                .count();
    }

    @Test
    void showsWhatTheWatchTells() throws IOException {
        send(event("ADDED", "a", "1") + event("ADDED", "b", "2") + END);
        follower.start();
        awaitNodes("a1", "b2");
        assertThat(shown.nodes().labels().get("a")).containsEntry("pool", "p");
        long before = shown.changes().number();
        send(event("MODIFIED", "b", "8") + event("DELETED", "a", "9"));
        awaitNodes("b8");
        assertThat(shown.changes().number()).isGreaterThan(before);
        assertThat(asked("watch=true")).isEqualTo(1);
        assertThat(asked("--request-timeout=0")).as("a watch is not limited").isEqualTo(1);
        assertThat(asked("sendInitialEvents=true")).isEqualTo(1);
    }

    /** Each second watch goes on where the first has ended. */
    @Test
    void goesOnAfterTheEndOfAWatch() throws IOException {
        kubectl("""
                case "$*" in
                *resourceVersion=8*) exec tail -n 1 -f events ;;
                *) head -n 3 events; exec sleep 0.5 ;;
                esac""");
        send(event("ADDED", "a", "1") + END + event("ADDED", "b", "8"));
        follower.start();
        awaitNodes("a1", "b8");
        Wait.until("the second watch").holds(() -> asked("resourceVersion=8") == 1);
        send(event("MODIFIED", "a", "9"));
        awaitNodes("a9", "b8");
    }

    @Test
    void beginsAgainWhenItsVersionIsNotKnown() throws IOException {
        kubectl("""
                case "$*" in
                *resourceVersion=7*) echo "Error from server (Expired): too old" >&2; exit 1 ;;
                *) head -n 2 events; if [ -e second ]; then exec tail -n +3 -f events; fi; touch second; exec sleep 0.5 ;;
                esac""");
        send(event("ADDED", "a", "1") + END);
        follower.start();
        Wait.until("the third watch").holds(() -> asked("sendInitialEvents=true") == 2);
        send(event("MODIFIED", "a", "9"));
        awaitNodes("a9");
    }

    @Test
    void readsWhereNodesCannotBeWatched() throws IOException {
        verbs("\"list\"");
        follower.start();
        awaitNodes("a");
        Files.writeString(directory.resolve("list"), "{\"items\":[{\"status\":{\"node\":\"c\"}}]}");
        awaitNodes("c");
        assertThat(asked("watch=true")).isZero();
    }

    @Test
    void readsWhereTheWatchIsRefused() throws IOException {
        kubectl("echo 'Error from server (Forbidden): no' >&2; exit 1");
        follower.start();
        awaitNodes("a");
        Files.writeString(directory.resolve("list"), "{\"items\":[{\"status\":{\"node\":\"c\"}}]}");
        awaitNodes("c");
        assertThat(asked("watch=true")).isEqualTo(1);
        assertThat(shown.problem()).isEmpty();
    }
}
