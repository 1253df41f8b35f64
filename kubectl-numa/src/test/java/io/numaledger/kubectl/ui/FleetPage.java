package io.numaledger.kubectl.ui;

import io.numaledger.wait.Wait;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The fleet in a browser, with the server behind it. */
final class FleetPage implements AutoCloseable {

    private final HeadlessBrowser browser;
    private final ShownCluster cluster;
    private final UiServer server;
    private final Thread reader;

    private FleetPage(HeadlessBrowser browser, ShownCluster cluster, UiServer server) {
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
        ShownCluster cluster = new ShownCluster(() -> zones, changes);
        cluster.nodes();
        FleetPage page = new FleetPage(browser, cluster, new UiServer(0, UiData.of(cluster), changes));
        browser.size(1400, 900);
        browser.dark(false);
        page.go(page.server.url().toString());
        return page;
    }

    /** Opens an address that shows the fleet. */
    void go(String url) {
        browser.driver().get(url);
        awaitSummary(text -> !text.isEmpty());
    }

    void awaitSummary(Predicate<String> wanted) {
        await("the summary of the fleet", () -> wanted.test(summary()));
    }

    /** Some events of a browser, such as the opening of a table, come after what caused them has returned. */
    void await(String what, Wait.Condition condition) {
        Wait.until(what).pollInterval(Duration.ofMillis(20)).seeing(this::summary).holds(condition);
    }

    /** Reads the cluster again while the page is open. */
    void follow() {
        reader.start();
    }

    String report() throws IOException {
        return Report.of(UiData.of(cluster));
    }

    WebElement find(String selector) {
        return browser.driver().findElement(By.cssSelector(selector));
    }

    List<WebElement> all(String selector) {
        return browser.driver().findElements(By.cssSelector(selector));
    }

    String text(String selector) {
        return all(selector).stream().map(WebElement::getText).collect(Collectors.joining("\n"));
    }

    String summary() {
        return text("#summary");
    }

    /** @param select by an attribute, such as {@code #resource} */
    void choose(String select, String text) {
        all("select" + select + " option").stream()
                .filter(option -> option.getText().equals(text))
                .findFirst()
                .orElseThrow()
                .click();
    }

    /** Types into an input after deleting what it has. */
    void type(String input, String text) {
        find("input[name=" + input + "]").sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.BACK_SPACE, text);
    }

    void press(Keys... keys) {
        find(".scroll canvas").sendKeys(keys);
    }

    @Override
    public void close() {
        reader.interrupt();
        browser.driver().get("about:blank");
        server.close();
    }
}
