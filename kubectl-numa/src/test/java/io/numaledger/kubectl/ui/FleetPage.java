package io.numaledger.kubectl.ui;

import io.numaledger.browser.HeadlessBrowser;
import io.numaledger.browser.ShownPage;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;

/** The fleet in a browser, with the server behind it. */
final class FleetPage extends ShownPage implements AutoCloseable {

    private final HeadlessBrowser browser;
    private final ShownCluster cluster;
    private final UiServer server;
    private final Thread reader;

    private FleetPage(HeadlessBrowser browser, ShownCluster cluster, UiServer server) {
        super(browser);
        this.browser = browser;
        this.cluster = cluster;
        this.server = server;
        this.reader = new Thread(() -> {
            try {
                cluster.follow(Duration.ofMillis(100));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    static FleetPage open(HeadlessBrowser browser, GeneratedZones zones) throws IOException {
        Changes changes = new Changes();
        ShownCluster cluster = new ShownCluster(() -> zones, changes, () -> {}, InstantSource.system());
        cluster.nodes();
        FleetPage page = new FleetPage(browser, cluster, new UiServer(0, UiData.of(cluster), changes));
        browser.size(1400, 900);
        browser.dark(false);
        page.go(page.server.url().toString());
        return page;
    }

    /** Reads the cluster again while the page is open. */
    void follow() {
        reader.start();
    }

    String report() throws IOException {
        return Report.of(UiData.of(cluster));
    }

    @Override
    public void close() {
        reader.interrupt();
        browser.driver().get("about:blank");
        server.close();
    }
}
