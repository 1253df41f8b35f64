package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.browser.ExpectedFleet;
import io.numaledger.browser.HeadlessBrowser;
import io.numaledger.browser.PageSpeed;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.interactions.Actions;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** The fleet of 5,000 nodes in a browser. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FleetPageTest {

    private static final int NODES = 5_000;
    private static final String GPU = "nvidia.com/gpu";

    private final GeneratedZones zones = new GeneratedZones(NODES, 1);
    private HeadlessBrowser browser;
    private FleetPage page;

    @BeforeAll
    void startBrowser() {
        browser = HeadlessBrowser.start();
    }

    @AfterAll
    void stopBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        page = FleetPage.open(browser, zones);
    }

    @AfterEach
    void close() {
        assertThat(browser.complaints()).isEmpty();
        page.close();
    }

    @Test
    void saysWhatIsFreeInTheNodesThatAreShown() {
        assertThat(page.summary()).isEqualTo(zones.summary(node -> true, GPU));

        page.choose("#resource", "cpu");
        assertThat(page.summary()).isEqualTo(zones.summary(node -> true, "cpu"));
        page.type("name", "node-0012");
        assertThat(page.summary())
                .isEqualTo(zones.summary(node -> node.path("node").asText().startsWith("node-0012"), "cpu"));
        page.type("name", "");

        page.type("label", "rack=rack-17");
        page.choose("[name=pool]", "gpu");
        assertThat(page.summary()).startsWith("40 of 5,000 nodes; cpu: ");
        page.type("label", "");
        page.choose("[name=pool]", "All");

        page.choose("[name=problem]", "Not ready");
        assertThat(page.summary())
                .isEqualTo(zones.summary(node -> !node.path("ready").asBoolean(), "cpu"));
        page.choose("[name=problem]", "All");
        page.choose("[name=policy]", "restricted");
        assertThat(page.summary())
                .isEqualTo(zones.summary(
                        node -> node.path("topologyManagerPolicy").asText().equals("restricted"), "cpu"));
    }

    @Test
    void hasTheSameAsATable() {
        page.choose("#resource", "cpu");
        page.find("summary").click();
        page.await("the table", () -> !page.all("tbody tr").isEmpty());

        page.find(".wide button").click();
        assertThat(page.rows(ExpectedFleet.COLUMNS))
                .isEqualTo(new ExpectedFleet(zones.nodes()).rows("cpu").subList(0, 400));
    }

    @Test
    void showsANodeByKeyboardAndOpensIt() throws IOException {
        page.press(Keys.ARROW_RIGHT);
        page.press(Keys.ARROW_RIGHT);
        assertThat(page.text(".card h3")).isEqualTo("node-00502");
        browser.screenshot("ui-fleet");
        page.press(Keys.END);
        assertThat(page.text(".card h3")).isEqualTo("node-04999");
        page.choose("#resource", "cpu");
        page.press(Keys.HOME);
        assertThat(page.text(".card"))
                .startsWith("node-00000\nNotReady")
                .contains("the kubelet has given CPU 3 to two pods");

        page.press(Keys.ENTER);
        page.await("the address", () -> browser.driver().getCurrentUrl().endsWith("#/node/node-00000"));
        browser.driver().navigate().back();
        page.awaitSummary(text -> !text.isEmpty());
        assertThat(page.summary()).contains("; cpu: ");
    }

    @Test
    void showsTheNodeUnderThePointerAndOpensItByAClick() {
        WebElement canvas = page.find(".scroll canvas");
        Dimension size = canvas.getSize();
        new Actions(browser.driver())
                .moveToElement(canvas, 10 - size.getWidth() / 2, 8 - size.getHeight() / 2)
                .perform();
        page.await("its card", () -> page.text(".card h3").equals("node-00500"));

        new Actions(browser.driver()).click().perform();
        page.await("the address", () -> browser.driver().getCurrentUrl().endsWith("#/node/node-00500"));
        page.await("the node", () -> browser.driver().getTitle().equals("node-00500 – node – kubectl numa"));
    }

    @Test
    void coloursEachZoneByItsAmounts() {
        page.choose("#resource", "cpu");

        assertThat(page.compareColours(new ExpectedFleet(zones.nodes()), "cpu"))
                .isEqualTo(zones.nodes().stream()
                        .mapToLong(node -> node.path("zones").size())
                        .sum());
    }

    @Test
    void staysFluid() {
        PageSpeed speed = page.speed();

        System.out.printf("the fleet of %d nodes: %s%n", NODES, speed);
        assertThat(speed.isUsable()).as(speed.toString()).isTrue();
    }

    @Test
    void fitsDarkAndNarrowScreens() throws IOException {
        browser.dark(true);
        page.press(Keys.ARROW_RIGHT);
        browser.screenshot("ui-dark");
        browser.dark(false);
        browser.size(390, 800);
        page.awaitWidth(390);
        page.press(Keys.ARROW_RIGHT);
        browser.screenshot("ui-narrow");
    }

    @Test
    void followsTheClusterAndShowsNamesAsText() {
        String markup = "<img src=x onerror=alert(1)>";
        ObjectNode node = new ObjectMapper()
                .createObjectNode()
                .put("node", markup)
                .put("confidence", "aggregate")
                .put("confidenceReason", "<b>no</b> zones");
        page.follow();
        zones.add(node);

        page.awaitSummary(text -> text.startsWith("5,001 of 5,001 nodes"));
        page.type("name", "<img");
        page.press(Keys.HOME);
        assertThat(page.text(".card")).startsWith(markup).contains("<b>no</b> zones");
        assertThat(page.all("img, .card b")).isEmpty();
        zones.remove(node);
    }

    @Test
    void isTheSameInAReport(@TempDir Path directory) throws IOException {
        Path report = Files.writeString(directory.resolve("report.html"), page.report());
        String live = page.summary();

        page.go(report.toUri().toString());

        assertThat(page.summary()).isEqualTo(live);
        assertThat(page.text("#state")).startsWith("a report of 20");
    }
}
